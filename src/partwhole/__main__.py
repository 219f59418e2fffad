"""`python -m partwhole`"""

from partwhole.cli.main import main

main()

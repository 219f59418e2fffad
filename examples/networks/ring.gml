graph [
  node [
    id 0
    label "Fay"
    role "lead"
    years 9.0
  ]
  node [
    id 1
    label "Gus"
    role "member"
    years 5.0
  ]
  node [
    id 2
    label "Hal"
    role "member"
    years 12.0
  ]
  node [
    id 3
    label "Ida"
    role "member"
    years 8.0
  ]
  node [
    id 4
    label "Jo"
    role "member"
    years 4.0
  ]
  node [
    id 5
    label "Kim"
    role "member"
    years 11.0
  ]
  edge [
    source 0
    target 1
    hours 2.0
  ]
  edge [
    source 0
    target 5
    hours 4.5
  ]
  edge [
    source 1
    target 2
    hours 2.5
  ]
  edge [
    source 2
    target 3
    hours 3.0
  ]
  edge [
    source 3
    target 4
    hours 3.5
  ]
  edge [
    source 4
    target 5
    hours 4.0
  ]
]

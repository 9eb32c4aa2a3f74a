package domain

// NewMarkdownAt is NewMarkdown by another clock.
var NewMarkdownAt = newMarkdown

// MaxPatience is how long the programs of a text may take.
const MaxPatience = maxPatience

// TiresomeFor is how long a program that took too long stays plain.
const TiresomeFor = tiresomeFor

package domain

// Status says who finds a post.
type Status string

const (
	Published   Status = ""            // everybody, in every list
	Unlisted    Status = "unlisted"    // whoever has its address
	Unpublished Status = "unpublished" // its author, who took it back
	// Hidden is the status of what copies show of a post that is held, or whose author is
	// suspended: nobody finds it but its author and moderators. No post has it itself: it
	// keeps its own, to have it again.
	Hidden Status = "hidden"
)

// Listed tells whether a post of that status stands in lists, feeds and the search.
func (s Status) Listed() bool { return s == Published }

// Shown tells whether a post of that status is there for others than its author.
func (s Status) Shown() bool { return s == Published || s == Unlisted }

// Valid tells whether a post may have that status.
func (s Status) Valid() bool { return s == Published || s == Unlisted || s == Unpublished }

package portable

import "time"

// Rest is what a person has on Inkfeed besides posts.
type Rest struct {
	Profile   Profile
	Comments  []Comment
	Likes     []Reaction
	Bookmarks []Reaction
}

// Profile is what a person says about themselves.
type Profile struct {
	UserID      string    `json:"userId"`
	Username    string    `json:"username"`
	DisplayName string    `json:"displayName,omitempty"`
	Created     time.Time `json:"created"`
	Bio         string    `json:"bio,omitempty"`
	Avatar      string    `json:"avatar,omitempty"` // a file in the export
}

// Comment is one that the person wrote, on whomsoever's post.
type Comment struct {
	ID       string    `json:"id"`
	PostID   string    `json:"postId"`
	Post     string    `json:"post"` // its address
	ParentID string    `json:"parentId,omitempty"`
	Content  string    `json:"content"`
	Created  time.Time `json:"created"`
	Edited   time.Time `json:"edited,omitzero"`
}

// Reaction is a like or a bookmark.
type Reaction struct {
	PostID  string    `json:"postId"`
	Post    string    `json:"post"`
	Created time.Time `json:"created"`
}

// Version is an earlier state of a post.
type Version struct {
	Revision int       `json:"revision"`
	Title    string    `json:"title"`
	Tags     []string  `json:"tags,omitempty"`
	Content  string    `json:"content"`
	Saved    time.Time `json:"saved"`
}

// Edition is an unpublished change of a published post.
type Edition struct {
	Title   string
	Tags    string // as typed
	Content string
	Publish time.Time // when it is to be published, zero: never
}

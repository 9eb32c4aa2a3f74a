package portable

import (
	"time"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/domain/subscription"
)

// Rest is the data of a person in Inkfeed's own export besides posts.
type Rest struct {
	Profile   Profile
	Comments  []Comment
	Likes     []Reaction
	Bookmarks []Reaction
}

// Profile is a person's names, pictures, and what they say about themselves and their blog: see domain.User.
type Profile struct {
	UserID          string          `json:"userId"`
	Username        string          `json:"username"`
	DisplayName     string          `json:"displayName,omitempty"`
	Created         time.Time       `json:"created"`
	Bio             string          `json:"bio,omitempty"`
	Avatar          string          `json:"avatar,omitempty"` // a file in the export
	BlogTitle       string          `json:"blogTitle,omitempty"`
	Links           []siteinfo.Link `json:"links,omitempty"`
	WritingLanguage string          `json:"writingLanguage,omitempty"`
	Header          string          `json:"header,omitempty"` // a file in the export
	HeaderAlt       string          `json:"headerAlt,omitempty"`
	Pins            []string        `json:"pins,omitempty"` // ids of posts in the export
	// LastActive is the last day on which the person was signed in, such as "2026-11-30", for the person to read.
	LastActive domain.ActiveDay `json:"lastActive,omitempty"`
	// Mutes are for the person to read. Imports ignore them, because the ids may mean others elsewhere.
	Mutes domain.Mutes `json:"mutes,omitempty"`
	// Subscriptions are those by mail, also for the person to read.
	Subscriptions []subscription.Subscription `json:"subscriptions,omitempty"`
}

// Picture is an uploaded picture, which texts need not show.
type Picture struct {
	File string `json:"file"` // in the export
	Alt  string `json:"alt,omitempty"`
}

// Comment is a comment that the person wrote on any post.
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

// Follow is an author or a tag that the person follows. It is for the person to read: imports ignore it, because names
// may mean others elsewhere.
type Follow struct {
	Author   string    `json:"author,omitempty"`   // the id
	Username string    `json:"username,omitempty"` // of the author; empty if the account is deleted or suspended
	Tag      string    `json:"tag,omitempty"`
	Created  time.Time `json:"created"`
}

// Version is a past version of a post.
type Version struct {
	Revision int      `json:"revision"`
	Title    string   `json:"title"`
	Tags     []string `json:"tags,omitempty"`
	domain.Details
	Content string    `json:"content"`
	Saved   time.Time `json:"saved"`
}

// PendingEdit is an unpublished change of a published post.
type PendingEdit struct {
	Title          string
	Tags           string // as typed
	domain.Details        // as typed
	Content        string
	Status         Status    // of the post that it becomes: Published, Unlisted or, if the export does not say, empty
	Publish        time.Time // when it is to be published, zero: never
}

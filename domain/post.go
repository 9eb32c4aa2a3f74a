package domain

import "time"

// Limits of what is written, in characters, and four times as many bytes. So a
// post, JSON's escapes included, stays well below the 2 MB that Cosmos DB takes.
const (
	MaxTitle   = 200
	MaxContent = 100_000
	MaxComment = 10_000
)

// Post is a blog post with its denormalised author's name and counts.
type Post struct {
	ID           string
	AuthorID     string
	AuthorName   string
	Title        string
	Content      string // Markdown
	CommentCount int
	LikeCount    int
	Created      time.Time
	Edited       time.Time // zero: never
	// Deleted is when the author deleted the post, zero: never. What is left of a
	// deleted post is a marker, without title and text, for the workers.
	Deleted time.Time
	// Erased says of a deleted post that its comments, likes and copies are gone.
	Erased bool
	// Revision counts the versions of title and content. An edit names the
	// revision it began from, so that likes and comments, which change the item
	// as well, are no conflict.
	Revision int
	// Version counts every change of the item. It orders the copies: one with a
	// higher version is newer.
	Version int
}

// NewPost makes a post by author. The error names each bad field.
func NewPost(author User, title, content string, now time.Time) (Post, error) {
	title, content, err := CleanPost(title, content)
	if err != nil {
		return Post{}, err
	}
	return Post{ID: NewID(), AuthorID: author.ID, AuthorName: author.Username, Title: title,
		Content: content, Created: Timestamp(now), Revision: 1, Version: 1}, nil
}

// CleanPost validates and normalises what a form sent for a post.
func CleanPost(title, content string) (string, string, error) {
	title, content = cleanLine(title), cleanText(content)
	errs := fieldErrors{}
	errs.add("title", checkText("The title", title, MaxTitle))
	errs.add("content", checkText("The post", content, MaxContent))
	return title, content, errs.err()
}

// Path is the canonical address of a post on this site.
func (p Post) Path() string { return PostPath(p.ID, p.Title) }

// PostPath is the canonical address of the post with that id and title.
func PostPath(id, title string) string { return "/posts/" + id + "/" + Slug(title) }

// Edit is a change of a post's own fields by its author.
type Edit struct {
	PostID   string
	Revision int // the revision the author edited
	Title    string
	Content  string
	At       time.Time
}

// NewEdit makes an edit. The error names each bad field.
func NewEdit(postID string, revision int, title, content string, now time.Time) (Edit, error) {
	title, content, err := CleanPost(title, content)
	if err != nil {
		return Edit{}, err
	}
	return Edit{PostID: postID, Revision: revision, Title: title, Content: content, At: Timestamp(now)}, nil
}

// Comment is one reader's answer to a post.
type Comment struct {
	ID         string
	PostID     string
	AuthorID   string
	AuthorName string
	Content    string // Markdown
	Created    time.Time
}

// NewComment makes a comment by author. The error names each bad field.
func NewComment(author User, postID, content string, now time.Time) (Comment, error) {
	content = cleanText(content)
	errs := fieldErrors{}
	errs.add("content", checkText("The comment", content, MaxComment))
	if err := errs.err(); err != nil {
		return Comment{}, err
	}
	return Comment{ID: NewID(), PostID: postID, AuthorID: author.ID, AuthorName: author.Username,
		Content: content, Created: Timestamp(now)}, nil
}

// Like says that a user likes a post. There is at most one for both.
type Like struct {
	PostID   string
	UserID   string
	Username string
	Created  time.Time
}

// NewLike makes user's like of a post.
func NewLike(user User, postID string, now time.Time) Like {
	return Like{PostID: postID, UserID: user.ID, Username: user.Username, Created: Timestamp(now)}
}

// ID is the like's id within its post, derived from the user's: a second like
// by the same user is the same item.
func (l Like) ID() string { return LikeID(l.UserID) }

// LikeID is the id of that user's like within any post.
func LikeID(userID string) string { return "like-" + userID }

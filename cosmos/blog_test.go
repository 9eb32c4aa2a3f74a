package cosmos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/sample"
)

// entry is a post with its counts, and with the comments and likes that they count.
type entry struct {
	domain.Post
	comments []domain.Comment
	likes    []domain.Like
	newest   bool // one of those that Q6 answers with
}

func (e entry) count() entry {
	e.CommentCount, e.LikeCount = len(e.comments), len(e.likes)
	return e
}

// blog is a data set of the article's proportions and sizes: 5 to 50 posts a user, up to
// 25 comments and up to 100 likes a post.
type blog struct {
	users   []domain.User
	entries []entry
	// author has authorPosts posts, of which post has postComments comments and
	// postLikes likes: the article's Q3, Q4 and Q5 ask for these. stranger is somebody
	// else, and old a post of theirs that neither Q3 nor Q6 sees: what the writing
	// requests change does not change what the others cost.
	author, stranger domain.User
	post, old        domain.Post
	random           *rand.ChaCha8
}

const (
	blogSeed = 1

	// How long the lists of Q3, Q4 and Q5 are. For Q4 and Q5 the article tells by what
	// V1 pays for the names: 20 and 50 times 1 RU. For Q3 it does by what V1 pays for
	// completing a post, once for Q3 and 100 times for Q6: some 27 posts; 25 is a round
	// number near it, as near to the mean.
	authorPosts, postComments, postLikes = 25, 20, 50

	// The bytes of text that make V1's items as large as the article's writes say:
	// 8.76 RU are a post of 1.7 KB, 8.57 RU a comment of 1.9 KB.
	postText, commentText = 1500, 1670
)

// text is some text of n bytes.
func text(n int) string { return strings.Repeat("Some words of text. ", n/20+1)[:n] }

// newBlog makes a data set. Unless whole, posts that no list shows have neither comments
// nor likes: none of the ten requests would touch these, so that all cost the same, and
// the data set is loaded in a tenth of the time.
func newBlog(users int, whole bool) *blog {
	from := sample.New(blogSeed, users)
	b := &blog{users: from.Users, random: rand.NewChaCha8([32]byte{blogSeed})}
	for post := range from.Posts() {
		e := entry{Post: post.Post, comments: post.Comments, likes: post.Likes}
		e.Content = text(postText)
		e.Tags, e.Edited = "", time.Time{} // the article's posts have neither
		for i := range e.comments {
			e.comments[i].Content = text(commentText)
		}
		b.entries = append(b.entries, e.count())
	}
	b.choose()
	slices.SortFunc(b.entries, func(x, y entry) int { return domain.NewestFirst(short(x.Post), short(y.Post)) })
	for i := range b.entries {
		e := &b.entries[i]
		e.newest = i < newestLimit
		if !e.newest && e.AuthorID != b.author.ID {
			b.old, b.stranger = e.Post, domain.User{ID: e.AuthorID, Username: e.AuthorName}
			if !whole {
				e.comments, e.likes = nil, nil
				*e = e.count()
			}
		}
	}
	return b
}

func short(p domain.Post) domain.Summary { return domain.Summary{PostID: p.ID, Created: p.Created} }

// choose picks the author and the post, and cuts their lists to length.
func (b *blog) choose() {
	for _, user := range b.users {
		posts, chosen := 0, -1
		kept := slices.Clone(b.entries)
		kept = slices.DeleteFunc(kept, func(e entry) bool {
			if e.AuthorID == user.ID {
				posts++
			}
			return e.AuthorID == user.ID && posts > authorPosts
		})
		for i, e := range kept {
			if e.AuthorID == user.ID && len(e.comments) >= postComments && len(e.likes) >= postLikes {
				chosen = i
			}
		}
		if posts < authorPosts || chosen < 0 {
			continue
		}
		e := &kept[chosen]
		e.comments, e.likes = e.comments[:postComments], e.likes[:postLikes]
		*e = e.count()
		b.entries, b.author, b.post = kept, user, e.Post
		return
	}
	panic(fmt.Sprintf("none of %d users has a post as the article's (seed %d): take more", len(b.users), blogSeed))
}

// What C1 to C4 write. Times are before all others, so that no list shows them first.
var longAgo = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func (b *blog) newUser() domain.User {
	id := domain.NewUserID(b.random)
	return domain.User{ID: id, Username: "new-" + id[len(id)-12:], Created: longAgo, NameVersion: 1, PropagatedVersion: 1}
}

func (b *blog) newPost() domain.Post {
	return domain.Post{ID: domain.NewIDFrom(b.random), AuthorID: b.stranger.ID, AuthorName: b.stranger.Username,
		Title: "The title of a new post", Content: text(postText), Created: longAgo, Revision: 1, Version: 1}
}

func (b *blog) newComment() domain.Comment {
	return domain.Comment{ID: domain.NewIDFrom(b.random), PostID: b.old.ID, AuthorID: b.author.ID,
		AuthorName: b.author.Username, Content: text(commentText), Created: longAgo}
}

func (b *blog) newLike() domain.Like {
	u := b.newUser()
	return domain.Like{PostID: b.old.ID, UserID: u.ID, Username: u.Username, Created: longAgo}
}

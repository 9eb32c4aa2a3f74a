package cosmos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"inkfeed/cosmos/article"
	"inkfeed/domain"
	"inkfeed/domain/sample"
)

// entry is a post with its comments and likes.
type entry = article.Entry

// counted returns an entry whose counts are those of its lists.
func counted(e entry) entry {
	e.CommentCount, e.LikeCount = len(e.Comments), len(e.Likes)
	return e
}

// blog is a data set with the article's proportions: 5 to 50 posts a user, up to 25 comments and up to 100 likes a
// post.
type blog struct {
	users   []domain.User
	entries []entry
	// author has authorPosts posts. One of them, post, has postComments comments and postLikes likes. The article's Q3,
	// Q4 and Q5 read these.
	//
	// stranger is another user, and old one of the stranger's posts that neither Q3 nor Q6 returns. The writes C1 to C4
	// change only these, so they do not change the costs of the queries.
	author, stranger domain.User
	post, old        domain.Post
	random           *rand.ChaCha8
}

const (
	blogSeed = 1

	// The lengths of the lists of Q3, Q4 and Q5, derived from the article's costs of V1. V1 reads a name for 1 RU, 20
	// times in Q4 and 50 times in Q5. It completes a post at the same cost in Q3 and Q6. Q6 has 100 posts, so Q3 has
	// about 27. 25 is a round number near that and near the mean of 5 to 50.
	authorPosts, postComments, postLikes = 25, 20, 50

	// The lengths of texts in bytes. With them, items of V1 are as large as the article's costs of writes imply:
	// 8.76 RU for a post of 1.7 KB and 8.57 RU for a comment of 1.9 KB.
	postText, commentText = 1500, 1670
)

// dataDay is the day of the data set. Its costs do not depend on it.
var dataDay = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// textOf returns a text of n bytes.
func textOf(n int) string { return strings.Repeat("Some words of text. ", n/20+1)[:n] }

// newBlog generates a data set. Unless whole is set, posts that no list shows have neither comments nor likes. None of
// the ten requests reads these, so the costs are the same and the data set is loaded in a tenth of the time.
func newBlog(users int, whole bool) *blog {
	from := sample.New(blogSeed, users, dataDay)
	for i := range from.Users { // the article's users have neither display names nor profiles
		from.Users[i].DisplayName, from.Users[i].Profile = "", domain.Profile{}
	}
	b := &blog{users: from.Users, random: rand.NewChaCha8([32]byte{blogSeed})}
	for post := range from.Posts() {
		e := entry{Post: post.Post, Comments: post.Comments, Likes: post.Likes}
		e.Content = textOf(postText)
		e.Tags, e.Edited = "", time.Time{} // the article's posts have neither tags nor edits
		for i := range e.Comments {
			c := &e.Comments[i] // the article's comments have no replies
			c.Content, c.ParentID, c.ParentCreated, c.Replies = textOf(commentText), "", time.Time{}, 0
		}
		b.entries = append(b.entries, counted(e))
	}
	b.choose()
	slices.SortFunc(b.entries, func(x, y entry) int { return domain.NewestFirst(short(x.Post), short(y.Post)) })
	for i := range b.entries {
		e := &b.entries[i]
		e.Newest = i < article.NewestLimit
		if !e.Newest && e.AuthorID != b.author.ID {
			b.old, b.stranger = e.Post, domain.User{ID: e.AuthorID, Username: e.AuthorName}
			if !whole {
				e.Comments, e.Likes = nil, nil
				*e = counted(*e)
			}
		}
	}
	return b
}

func short(p domain.Post) domain.Summary { return domain.Summary{PostID: p.ID, Created: p.Created} }

// choose selects author and post, and cuts their lists to the lengths above.
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
			if e.AuthorID == user.ID && len(e.Comments) >= postComments && len(e.Likes) >= postLikes {
				chosen = i
			}
		}
		if posts < authorPosts || chosen < 0 {
			continue
		}
		e := &kept[chosen]
		e.Comments, e.Likes = e.Comments[:postComments], e.Likes[:postLikes]
		*e = counted(*e)
		b.entries, b.author, b.post = kept, user, e.Post
		return
	}
	panic(fmt.Sprintf("none of %d users has a post with the article's numbers of comments and likes (seed %d): "+
		"generate more users", len(b.users), blogSeed))
}

// longAgo is the date of the items that C1 to C4 write. It is before all others, so no list shows these items first.
var longAgo = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func (b *blog) newUser() domain.User {
	id := domain.NewUserID(b.random)
	return domain.User{ID: id, Username: "new-" + id[len(id)-12:], Created: longAgo, NameVersion: 1,
		PropagatedVersion: 1}
}

func (b *blog) newPost() domain.Post {
	return domain.Post{ID: domain.NewIDFrom(b.random), AuthorID: b.stranger.ID, AuthorName: b.stranger.Username,
		Title: "The title of a new post", Content: textOf(postText), Created: longAgo, Revision: 1, Version: 1}
}

func (b *blog) newComment() domain.Comment {
	return domain.Comment{ID: domain.NewIDFrom(b.random), PostID: b.old.ID, AuthorID: b.author.ID,
		AuthorName: b.author.Username, Content: textOf(commentText), Created: longAgo}
}

func (b *blog) newLike() domain.Like {
	u := b.newUser()
	return domain.Like{PostID: b.old.ID, UserID: u.ID, Username: u.Username, Created: longAgo}
}

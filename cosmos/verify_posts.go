package cosmos

import (
	"context"
	"time"

	"inkfeed/domain"
)

// auditedPost is what is known of a post, from its own partition and from the
// copies of it.
type auditedPost struct {
	present   bool
	deleted   bool
	erased    bool
	expires   bool
	text      bool // something that a person wrote is there
	form      shortForm
	comments  int // items, as are likes
	likes     int
	copy      shortForm // in users, if there is one
	copies    int
	tombstone bool // there is one in users
}

func (p *auditedPost) live() bool { return p.present && !p.deleted }

func (a *audit) post(id string) *auditedPost {
	p := a.posts[id]
	if p == nil {
		p = &auditedPost{}
		a.posts[id] = p
	}
	return p
}

// preparedItem is an item of posts with, if it is a post, its projection.
type preparedItem struct {
	storedItem
	form shortForm
}

func (a *audit) prepare(i *preparedItem) {
	if i.Type != typePost {
		return
	}
	i.form = a.shortForm(a.markdown.Summarize(domain.Post{ID: i.PostID, AuthorID: i.UserID, AuthorName: i.UserUsername,
		Title: i.Title, Content: i.Content, CommentCount: i.CommentCount, LikeCount: i.LikeCount,
		Created: time.Time(i.CreationDate), Version: i.Version}))
}

// readPosts comes after the users, who wrote what it reads.
func (a *audit) readPosts(ctx context.Context, s *Store) error {
	return readItems(ctx, a, s.Posts.c, postsContainer, postsQuery, a.prepare, func(i preparedItem) {
		subject := i.Type + " " + i.ID + " of post " + i.PostID
		switch i.Type {
		case typePost:
			if i.ID != i.PostID {
				a.violation(ruleIDs, subject, "a post's id is that of its partition")
				return
			}
			subject = "post " + i.PostID
			p := a.post(i.PostID)
			p.present, p.deleted, p.erased, p.expires, p.form = true, i.deleted(), i.Erased, i.expires(), i.form
			p.text = i.text()
			if p.deleted {
				return // its author may be gone before it is
			}
		case typeComment:
			a.post(i.PostID).comments++
		case typeLike:
			a.post(i.PostID).likes++
			if want := domain.LikeID(i.UserID); i.ID != want {
				a.violation(ruleLikeIDs, subject, "should be %s", want)
			}
		default:
			a.violation(ruleTypes, "posts item "+i.ID+" of post "+i.PostID, "type %q", i.Type)
			return
		}
		if i.expires() {
			a.violation(ruleExpiry, subject, "in %d seconds", i.TTL)
		}
		a.checkAuthor(subject, i.storedItem)
	})
}

// checkAuthor is asked after all users were read.
func (a *audit) checkAuthor(subject string, i storedItem) {
	user := a.users[i.UserID]
	switch {
	case user == nil || !user.present:
		a.violation(ruleAuthors, subject, "there is no user %s", i.UserID)
	case user.deleted:
		user.authored++
		a.violation(ruleAuthors, subject, "the account %s is deleted", i.UserID)
	}
	a.checkName(subject, i.UserID, i.UserUsername)
}

// checkName compares a copy of a user's name with the user's. That there is such
// a user is another rule.
func (a *audit) checkName(subject, userID, username string) {
	user := a.users[userID]
	if user != nil && user.live() && user.name != username {
		a.violation(ruleCurrentNames, subject, "says %q, the user is %q", username, user.name)
	}
}

func (a *audit) checkPosts() {
	for id, p := range a.posts {
		subject := "post " + id
		a.checkCounts(subject, p)
		if p.copies > 1 {
			a.violation(ruleOneCopy, subject, "there are %d", p.copies)
		}
		if p.copies > 0 {
			a.checkName("copy of post "+id+" in users", p.copy.author.Value(), p.copy.name.Value())
		}
		switch {
		case p.live():
			a.checkLivePost(id, p)
		case p.copies > 0 && p.deleted:
			a.violation(ruleOrphans, "copy of post "+id+" in users", "the post is deleted")
		case p.copies > 0:
			a.violation(ruleOrphans, "copy of post "+id+" in users", "there is no such post")
		}
		if p.deleted {
			a.checkDeletedPost(subject, p)
		}
	}
}

func (a *audit) checkCounts(subject string, p *auditedPost) {
	if !p.present {
		if p.comments+p.likes > 0 {
			a.violation(ruleOrphans, subject, "it has %d comments and %d likes but does not exist", p.comments, p.likes)
		}
		return
	}
	if p.form.comments != p.comments {
		a.violation(ruleCounts, subject, "commentCount is %d, there are %d", p.form.comments, p.comments)
	}
	if p.form.likes != p.likes {
		a.violation(ruleCounts, subject, "likeCount is %d, there are %d", p.form.likes, p.likes)
	}
}

func (a *audit) checkLivePost(id string, p *auditedPost) {
	if p.copies > 0 {
		a.checkCopy("users", id, p.copy, p.form)
	} else {
		a.violation(ruleCopies, "post "+id, "users has no copy")
	}
	if p.tombstone {
		a.violation(ruleTombstones, "tombstone of post "+id+" in users", "the post is live")
	}
}

// checkDeletedPost holds that nothing of a deleted post is left but a marker that
// will go as well.
func (a *audit) checkDeletedPost(subject string, p *auditedPost) {
	if p.text {
		a.violation(ruleDeletions, subject, "it has text")
	}
	if !p.erased {
		a.violation(ruleDeletions, subject, "it is not erased yet")
		return
	}
	if !p.expires {
		a.violation(ruleDeletions, subject, "its marker would stay for good")
	}
	if p.comments+p.likes > 0 {
		a.violation(ruleDeletions, subject, "%d comments and %d likes are left", p.comments, p.likes)
	}
}

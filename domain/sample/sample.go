// Package sample makes a data set for evaluation, with the proportions of the article on which Inkfeed's data model is
// based, scaled by the number of users: 5 to 50 posts a user, up to 25 comments and up to 100 likes a post. Posts have
// tags, and some have past versions. The same seed makes the same data, including ids and dates.
package sample

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"inkfeed/domain"
)

// The proportions of the data set in the article.
const (
	MinPosts    = 5
	MaxPosts    = 50
	MaxComments = 25
	MaxLikes    = 100
)

// The dates of the posts are between these two, so that the texts of real users are newer.
var (
	from  = time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)
	until = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
)

// year is the period before from in which the users signed up.
const year = 365 * 24 * time.Hour

// UsersEnd returns the time before which all users of any data set signed up. Users who signed up later are real.
func UsersEnd() time.Time { return from }

// Post is a post with its versions, comments and likes. The post's own counts are zero, because they are counted when
// it is written.
type Post struct {
	domain.Post
	Versions []domain.PostVersion // past versions, the oldest first
	Comments []domain.Comment
	Likes    []domain.Like
}

// Blog is a data set for a number of users.
type Blog struct {
	seed  uint64
	Users []domain.User
}

// New returns a data set with the given number of users.
func New(seed uint64, users int) *Blog {
	b := &Blog{seed: seed}
	random := b.random(0)
	source := reader{random}
	taken := make(map[string]bool, users)
	for range users {
		b.Users = append(b.Users, domain.User{
			ID: domain.NewUserID(source), Username: username(random, taken),
			Created:     from.Add(-time.Duration(random.Int64N(int64(year)))).Truncate(time.Millisecond),
			NameVersion: 1, PropagatedVersion: 1, Sample: true,
		})
	}
	return b
}

// random returns a separate random source for each part of the data set, so that no part depends on the size of
// another.
func (b *Blog) random(part uint64) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], b.seed)
	binary.LittleEndian.PutUint64(key[8:], part)
	return rand.New(rand.NewChaCha8(key))
}

// reader reads random bytes from a source.
type reader struct{ *rand.Rand }

func (r reader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return len(p), nil
}

func username(random *rand.Rand, taken map[string]bool) string {
	name := pick(random, firstNames) + "-" + pick(random, lastNames)
	for n := 2; taken[name]; n++ {
		base, _, _ := strings.Cut(name, "_")
		name = fmt.Sprintf("%s_%d", base, n)
	}
	taken[name] = true
	return name
}

// Posts returns the posts of all users, user by user.
func (b *Blog) Posts() iter.Seq[Post] {
	return func(yield func(Post) bool) {
		for i, author := range b.Users {
			random, editing := b.random(uint64(i)+1), b.random(uint64(i)+edits)
			for range between(random, MinPosts, MaxPosts) {
				if !yield(b.post(random, editing, author)) {
					return
				}
			}
		}
	}
}

// CountPosts returns the number of posts in Posts.
func (b *Blog) CountPosts() int {
	n := 0
	for i := range b.Users {
		n += between(b.random(uint64(i)+1), MinPosts, MaxPosts)
	}
	return n
}

// edits is the first number of the parts for tags and versions, above those for posts.
const edits = 1 << 32

// oneEdited is the share of edited posts: one in oneEdited.
const oneEdited = 8

// edit gives a post tags and, sometimes, past versions with a shorter text and another title.
func (p *Post) edit(random *rand.Rand, t *topic) {
	names := []string{t.field}
	for range random.IntN(3) {
		names = append(names, pick(random, t.things))
	}
	p.Tags, _ = domain.CleanTags(strings.Join(names, ","))
	if random.IntN(oneEdited) > 0 {
		return
	}
	then := *t
	then.Rand = random
	last := p.Created
	for _, content := range earlier(p.Content, 1+random.IntN(2)) {
		p.Versions = append(p.Versions, domain.PostVersion{PostID: p.ID, Revision: p.Revision, Title: then.title(),
			Content: content, Tags: domain.Tags(t.field), Saved: last})
		last = last.Add(time.Minute + time.Duration(random.Int64N(int64(72*time.Hour)))).Truncate(time.Millisecond)
		p.Revision, p.Version, p.Edited = p.Revision+1, p.Version+1, last
	}
}

// earlier returns n beginnings of a text, each longer by a paragraph than the previous one.
func earlier(content string, n int) []string {
	var list []string
	for range n {
		end := strings.LastIndex(content, "\n\n")
		if end < 0 {
			break
		}
		content = content[:end]
		list = append([]string{content}, list...)
	}
	return list
}

// Drafts returns the drafts of the first user: one of a new post, and one that changes a post.
func (b *Blog) Drafts() []domain.Draft {
	random := b.random(2 * edits)
	author := b.Users[0]
	t := newTopic(random)
	drafts := []domain.Draft{{PostID: domain.NewIDFrom(reader{random}), AuthorID: author.ID, Title: t.title(),
		Content: t.sentences(3), Tags: t.field, Begun: until}}
	for p := range b.Posts() {
		change := domain.DraftOf(p.Post, until)
		change.Content += "\n\n" + newTopic(random).sentences(2)
		return append(drafts, change)
	}
	return drafts
}

func (b *Blog) post(random, editing *rand.Rand, author domain.User) Post {
	created := from.Add(time.Duration(random.Int64N(int64(until.Sub(from))))).Truncate(time.Millisecond)
	t := newTopic(random)
	p := Post{Post: domain.Post{ID: domain.NewIDFrom(reader{random}), AuthorID: author.ID,
		AuthorName: author.Username, Title: t.title(), Content: t.article(), Created: created,
		Revision: 1, Version: 1}}
	p.edit(editing, t)
	at := created
	for range random.IntN(MaxComments + 1) {
		by := b.Users[random.IntN(len(b.Users))]
		at = at.Add(time.Duration(random.Int64N(int64(6 * time.Hour)))).Truncate(time.Millisecond)
		p.Comments = append(p.Comments, domain.Comment{ID: domain.NewIDFrom(reader{random}), PostID: p.ID,
			AuthorID: by.ID, AuthorName: by.Username, Content: t.comment(), Created: at})
	}
	at = created
	for _, i := range some(random, len(b.Users), random.IntN(MaxLikes+1)) {
		at = at.Add(time.Duration(random.Int64N(int64(time.Hour)))).Truncate(time.Millisecond)
		p.Likes = append(p.Likes, domain.Like{PostID: p.ID, UserID: b.Users[i].ID,
			Username: b.Users[i].Username, Created: at})
	}
	return p
}

// some returns k different numbers below n, or all n in random order.
func some(random *rand.Rand, n, k int) []int {
	if k >= n {
		return random.Perm(n)
	}
	picked := make([]int, 0, k)
	seen := make(map[int]bool, k)
	for len(picked) < k {
		if i := random.IntN(n); !seen[i] {
			seen[i] = true
			picked = append(picked, i)
		}
	}
	return picked
}

func between(random *rand.Rand, low, high int) int { return low + random.IntN(high-low+1) }

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

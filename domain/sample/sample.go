// Package sample makes a data set for evaluation, with the proportions of the article on which Inkfeed's data model is
// based, scaled by the number of users: 5 to 50 posts a user, up to 25 comments and up to 100 likes a post. Posts have
// tags, and some have past versions. The same seed makes the same data on the same day, including ids and dates. The
// package also draws pictures, and has the sample posts of a new site.
package sample

import (
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/names"
)

// The proportions of the data set in the article.
const (
	MinPosts    = 5
	MaxPosts    = 50
	MaxComments = 25
	MaxLikes    = 100
)

// The posts of a data set are from the two years before its day, and its users signed up in the year before that.
const (
	day     = 24 * time.Hour
	year    = 365 * day
	posting = 2 * year
)

// Today returns the current day, in UTC: the day of a new data set.
func Today() time.Time { return time.Now().UTC().Truncate(day) }

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
	until time.Time
	Users []domain.User
	// Covers are the covers of each user's posts. Users without covers have posts without them.
	Covers   [][]domain.Cover
	subjects [][]string // two of each user
}

// New returns a data set with the given number of users. Everything in it happened before the given day, and nothing
// else depends on it.
func New(seed uint64, users int, until time.Time) *Blog {
	b := &Blog{seed: seed, until: until, Covers: make([][]domain.Cover, users)}
	random, l := b.random(0), readLibrary()
	subjects := slices.Sorted(maps.Keys(l.Subjects))
	taken := make(map[string]bool, users)
	for range users {
		first, last := pick(random, l.FirstNames), pick(random, l.LastNames)
		about := shuffled(random, subjects)[:2]
		b.subjects = append(b.subjects, about)
		b.Users = append(b.Users, domain.User{
			ID: domain.NewUserID(source{random}), Username: username(first+" "+last, taken),
			DisplayName: first + " " + last,
			Profile: domain.Profile{
				Bio: strings.NewReplacer("{a}", about[0], "{b}", about[1]).Replace(pick(random, l.Biographies))},
			Created:     until.Add(-posting - time.Duration(random.Int64N(int64(year)))).Truncate(time.Millisecond),
			NameVersion: 1, PropagatedVersion: 1, Sample: true,
		})
	}
	return b
}

// random returns a separate random source for each part of the data set, so that no part depends on the size of
// another.
func (b *Blog) random(part uint64) *rand.Rand { return newRandom(b.seed, part) }

func newRandom(seed, part uint64) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], part)
	return rand.New(rand.NewChaCha8(key))
}

// source reads random bytes from a random source.
type source struct{ *rand.Rand }

func (r source) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return len(p), nil
}

func username(name string, taken map[string]bool) string {
	name = names.Transliterated(name)
	for base, n := name, 2; taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	taken[name] = true
	return name
}

// Posts returns the posts of all users, user by user.
func (b *Blog) Posts() iter.Seq[Post] {
	return func(yield func(Post) bool) {
		for i := range b.Users {
			random, editing, titles := b.random(uint64(i)+1), b.random(uint64(i)+edits), make(map[string]bool)
			for range between(random, MinPosts, MaxPosts) {
				if !yield(b.post(random, editing, i, titles)) {
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
func (b *Blog) edit(random *rand.Rand, p *Post, t theme) {
	p.Tags = t.tagged(random)
	if random.IntN(oneEdited) > 0 {
		return
	}
	last := p.Created
	for _, content := range earlier(p.Content, 1+random.IntN(2)) {
		p.Versions = append(p.Versions, domain.PostVersion{PostID: p.ID, Revision: p.Revision, Title: t.title(random),
			Content: content, Tags: p.Tags, Saved: last})
		last = b.after(random, last, 3*day)
		p.Revision, p.Version, p.Edited = p.Revision+1, p.Version+1, last
	}
}

// after returns a random time that is at most the given duration after another one, and before the day of the data set.
func (b *Blog) after(random *rand.Rand, at time.Time, most time.Duration) time.Time {
	most = min(most, b.until.Sub(at)/8)
	return at.Add(time.Millisecond + time.Duration(random.Float64()*float64(most))).Truncate(time.Millisecond)
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
	t := pick(random, readLibrary().Subjects[b.subjects[0][0]])
	drafts := []domain.Draft{{PostID: domain.NewIDFrom(source{random}), AuthorID: b.Users[0].ID,
		Title: t.title(random), Content: t.Paragraphs[0], Tags: t.Tags[0], Begun: b.until}}
	for p := range b.Posts() {
		change := domain.DraftOf(p.Post, b.until)
		change.Content += "\n\n" + t.Paragraphs[1]
		return append(drafts, change)
	}
	return drafts
}

// post returns the next post of a user. The titles are those of the user's posts.
func (b *Blog) post(random, editing *rand.Rand, user int, titles map[string]bool) Post {
	author, s := b.Users[user], readLibrary().Subjects[pick(random, b.subjects[user])]
	p := Post{Post: domain.Post{ID: domain.NewIDFrom(source{random}), AuthorID: author.ID,
		AuthorName: author.Username, AuthorDisplayName: author.DisplayName, AuthorAvatar: author.Avatar,
		Created:  b.until.Add(-1 - time.Duration(random.Int64N(int64(posting)))).Truncate(time.Millisecond),
		Revision: 1, Version: 1}}
	first := random.IntN(len(s))
	for p.Title == "" || titles[p.Title] {
		first = random.IntN(len(s))
		p.Title = s[first].title(random)
	}
	titles[p.Title] = true
	p.Content = article(random, s, first)
	if cover := random.Uint64(); cover%3 > 0 && len(b.Covers[user]) > 0 {
		c := b.Covers[user][cover/3%uint64(len(b.Covers[user]))]
		p.Details.Cover, p.Details.CoverAlt = c.Image.String(), c.Alt
	}
	b.edit(editing, &p, s[first])
	b.comment(random, &p, user, s[first])
	at := p.Created
	for _, i := range some(random, len(b.Users), random.IntN(MaxLikes+1)) {
		at = b.after(random, at, time.Hour)
		by := b.Users[i]
		p.Likes = append(p.Likes, domain.Like{PostID: p.ID, UserID: by.ID, Username: by.Username,
			DisplayName: by.DisplayName, Avatar: by.Avatar, Created: at})
	}
	return p
}

// comment adds comments of other users to a post, and the author's answers.
func (b *Blog) comment(random *rand.Rand, p *Post, author int, t theme) {
	left, at := random.IntN(MaxComments+1), p.Created
	for _, talk := range t.talks(random) {
		others := slices.DeleteFunc(some(random, len(b.Users), 3), func(i int) bool { return i == author })
		if len(others) == 0 {
			return
		}
		for i, remark := range talk[:min(len(talk), left)] {
			by := b.Users[map[byte]int{'?': others[0], '!': author, '+': others[len(others)-1]}[remark[0]]]
			at = b.after(random, at, 6*time.Hour)
			c := domain.Comment{ID: domain.NewIDFrom(source{random}), PostID: p.ID, Content: remark[2:], Created: at,
				AuthorID: by.ID, AuthorName: by.Username, AuthorDisplayName: by.DisplayName, AuthorAvatar: by.Avatar}
			if i > 0 {
				parent := &p.Comments[len(p.Comments)-i]
				c.ParentID, c.ParentCreated = parent.Thread()
				parent.Replies++
			}
			p.Comments = append(p.Comments, c)
		}
		left -= min(len(talk), left)
	}
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

func shuffled[T any](random *rand.Rand, list []T) []T {
	list = slices.Clone(list)
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

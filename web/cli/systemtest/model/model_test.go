package model

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/web/cli/systemtest/harness"
)

// model is a blog in plain memory, which stores each value once. Tests describe its state and that of the database in
// lines, and compare the lines.
type model struct {
	names map[string]string // usernames by user ID
	owner map[string]string // user IDs by current and former usernames in lower case
	posts map[string]*modelPost
	gone  map[string]string // authors of deleted posts by post ID
	// drafts are stored by post ID. A shared draft has a Preview that is not empty.
	drafts map[string]domain.Draft
	pins   map[string][]string // IDs of the pinned posts by user ID
	site   modelSite
	modelFollows
}

type modelPost struct {
	background     bool // the post only fills lists, and nothing else of it is compared
	author         string
	title, content string
	tags           domain.Tags
	status         domain.Status
	created        time.Time
	revision       int
	edited         bool
	comments       map[string]modelComment // by comment ID
	likes          map[string]bool         // by user ID
	bookmarks      map[string]bool         // by user ID
	versions       []string                // descriptions of the past versions
}

type modelComment struct {
	author, content string // empty in a placeholder
	parent          string // ID of the comment that a reply answers, or empty
	edited          time.Time
}

func newModel() *model {
	return &model{names: make(map[string]string), owner: make(map[string]string),
		posts: make(map[string]*modelPost), gone: make(map[string]string), drafts: make(map[string]domain.Draft),
		pins: make(map[string][]string), site: modelSite{shown: make(map[string]bool)}, modelFollows: newModelFollows()}
}

func (m *model) clone() *model {
	c := &model{names: maps.Clone(m.names), owner: maps.Clone(m.owner), posts: make(map[string]*modelPost),
		gone: maps.Clone(m.gone), drafts: maps.Clone(m.drafts), pins: maps.Clone(m.pins), site: m.site.clone(),
		modelFollows: m.modelFollows.clone()}
	for id, p := range m.posts {
		twin := *p
		twin.comments, twin.likes, twin.bookmarks = maps.Clone(p.comments), maps.Clone(p.likes), maps.Clone(p.bookmarks)
		c.posts[id] = &twin
	}
	return c
}

// reserve gives a username to a user, unless it is a current or former name of another user.
func (m *model) reserve(userID, name string) error {
	if owner, taken := m.owner[names.NameKey(name)]; taken && owner != userID {
		return domain.ErrUsernameTaken(name)
	}
	m.owner[names.NameKey(name)] = userID
	m.names[userID] = name
	return nil
}

func (m *model) deletePost(id string) {
	m.gone[id] = m.posts[id].author
	delete(m.posts, id)
	delete(m.drafts, id)
	m.site.remove(id)
}

func (m *model) deleteAccount(userID string) {
	delete(m.names, userID)
	delete(m.pins, userID)
	m.modelFollows.remove(userID)
	maps.DeleteFunc(m.drafts, func(_ string, d domain.Draft) bool { return d.AuthorID == userID })
	maps.DeleteFunc(m.owner, func(_, owner string) bool { return owner == userID })
	for id, p := range m.posts {
		if p.author == userID {
			m.deletePost(id)
		}
	}
	for _, p := range m.posts {
		delete(p.likes, userID)
		delete(p.bookmarks, userID)
		for id, c := range p.comments {
			if c.author == userID {
				p.removeComment(id)
			}
		}
	}
}

// summary describes a post as lists show it.
func (m *model) summary(id string) string {
	p := m.posts[id]
	return fmt.Sprintf("%s %q [%s] by %s: %s, %d comments, %d likes", id, p.title, p.tags, m.names[p.author],
		p.content, p.commentCount(), len(p.likes))
}

// isVisible reports whether users other than the author can read a post. The text of a static page is no post for them.
func (m *model) isVisible(id string) bool {
	return m.posts[id] != nil && !domain.IsPageID(id) && m.posts[id].status != domain.Unpublished
}

// newest returns the IDs of the listed posts that satisfy a condition, newest first.
func (m *model) newest(of func(*modelPost) bool) []string {
	var ids []string
	for id, p := range m.posts {
		if p.status.Listed() && !domain.IsPageID(id) && of(p) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return m.posts[b].created.Compare(m.posts[a].created) })
	return ids
}

// state describes the state of the model in sorted lines. It leaves out the owners of unsettled names.
func (m *model) state(unsettled map[string]bool) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for id, name := range m.names {
		add("user %s is %s", id, name)
		for n, post := range m.newest(func(p *modelPost) bool { return p.author == id }) {
			add("list of %s %d: %s", id, n, m.summary(post))
		}
		m.describePins(id, add)
	}
	m.followLines(add)
	m.describeSite(add)
	for name, owner := range m.owner {
		if !unsettled[name] {
			add("name %s leads to %s", name, owner)
		}
	}
	for id, p := range m.posts {
		if p.background {
			continue
		}
		add("post %s, revision %d, edited %v, status %q", m.summary(id), p.revision, p.edited, p.status)
		for _, version := range p.versions {
			add("%s", version)
		}
		for comment, c := range p.comments {
			add("comment %s on %s, answers %q, by %s, edited %v: %s",
				comment, id, c.parent, m.names[c.author], c.edited, c.content)
		}
		for user := range p.bookmarks {
			add("%s", m.bookmark(user, id))
		}
		for user := range p.likes {
			add("like on %s by %s", id, m.names[user])
		}
	}
	m.describeDrafts(add)
	for key := range modelTags {
		for n, id := range m.newest(func(p *modelPost) bool { return slices.Contains(p.tags.Keys(), key) }) {
			add("tag %s %d: %s", key, n, m.summary(id))
		}
	}
	for n, id := range m.newest(func(*modelPost) bool { return true }) {
		if n < domain.FeedLimit {
			add("front page %d: %s", n, m.summary(id))
		}
	}
	slices.Sort(lines)
	return lines
}

// stored describes the state that readers of a database see, in sorted lines. It looks up all users, usernames and
// posts that the database may hold.
func stored(ctx context.Context, s *cosmos.Store, users, usernames, posts []string) ([]string, error) {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, id := range users {
		user, err := s.Users.ByID(ctx, id)
		if domain.Is(err, domain.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		add("user %s is %s", id, user.Username)
		list, err := harness.AllPages(func(n int) (domain.ListPage[domain.Summary], error) {
			return s.UserCopies.PostsOf(ctx, id, n)
		})
		if err != nil {
			return nil, err
		}
		if err := storedDrafts(ctx, s, id, add); err != nil {
			return nil, err
		}
		if err := storedBookmarks(ctx, s, id, add); err != nil {
			return nil, err
		}
		for n, post := range list {
			add("list of %s %d: %s", id, n, describeSummary(post))
		}
		if err := storedPins(ctx, s, user, add); err != nil {
			return nil, err
		}
		if err := storedFollows(ctx, s, id, add); err != nil {
			return nil, err
		}
	}
	if err := storedDrafts(ctx, s, domain.SiteUserID, add); err != nil {
		return nil, err
	}
	if err := storedSite(ctx, s, add); err != nil {
		return nil, err
	}
	for _, name := range usernames {
		user, err := s.Users.ByName(ctx, name)
		if err == nil {
			add("name %s leads to %s", names.NameKey(name), user.ID)
		} else if !domain.Is(err, domain.NotFound) {
			return nil, err
		}
	}
	for _, id := range posts {
		if err := storedPost(ctx, s, id, add); err != nil {
			return nil, err
		}
	}
	for key := range modelTags {
		list, err := harness.AllPages(func(n int) (domain.ListPage[domain.Summary], error) {
			return s.Tags.PostsOf(ctx, key, n)
		})
		if err != nil {
			return nil, err
		}
		for n, post := range list {
			add("tag %s %d: %s", key, n, describeSummary(post))
		}
	}
	front, err := harness.AllPages(func(n int) (domain.ListPage[domain.Summary], error) {
		return s.Feed.FrontPage(ctx, n)
	})
	for n, post := range front {
		add("front page %d: %s", n, describeSummary(post))
	}
	slices.Sort(lines)
	return lines, err
}

// storedPost describes a post with its past versions, comments and likes.
func storedPost(ctx context.Context, s *cosmos.Store, id string, add func(string, ...any)) error {
	p, err := s.Posts.Latest(ctx, id)
	if domain.Is(err, domain.NotFound) || !p.Deleted.IsZero() {
		return nil
	}
	if err != nil {
		return err
	}
	add("post %s %q [%s] by %s: %s, %d comments, %d likes, revision %d, edited %v, status %q",
		id, p.Title, p.Tags, p.AuthorName, p.Content, p.CommentCount, p.LikeCount, p.Revision, !p.Edited.IsZero(),
		p.Status)
	versions, err := harness.AllPages(func(n int) (domain.ListPage[domain.PostVersion], error) {
		return s.Posts.Versions(ctx, id, n)
	})
	if err != nil {
		return err
	}
	for _, v := range versions {
		add("version %d of %s: %q [%s] %s", v.Revision, id, v.Title, v.Tags, v.Content)
	}
	comments, err := harness.AllPages(func(n int) (domain.ListPage[domain.Comment], error) {
		return s.Posts.Comments(ctx, id, n)
	})
	if err != nil {
		return err
	}
	for _, c := range comments {
		add("comment %s on %s, answers %q, by %s, edited %v: %s",
			c.ID, id, c.ParentID, c.AuthorName, c.Edited, c.Content)
	}
	likes, err := harness.AllPages(func(n int) (domain.ListPage[domain.Like], error) {
		return s.Posts.Likes(ctx, id, n)
	})
	for _, l := range likes {
		add("like on %s by %s", id, l.Username)
	}
	return err
}

func describeSummary(s domain.Summary) string {
	return fmt.Sprintf("%s %q [%s] by %s: %s, %d comments, %d likes", s.PostID, s.Title, s.Tags, s.AuthorName, s.Text,
		s.CommentCount, s.LikeCount)
}

// modelTags are the tags of the model's posts by their keys. Keys are partition keys, and some have characters outside
// the Basic Multilingual Plane.
var modelTags = map[string]string{"go": "Go", "über-uns": "Über uns", "𠮷": "𠮷", "😀": "😀"}

// difference returns the first lines that are in only one of two states.
func difference(got, want []string) string {
	var lines []string
	for _, line := range want {
		if !slices.Contains(got, line) {
			lines = append(lines, "missing: "+line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			lines = append(lines, "unexpected: "+line)
		}
	}
	return strings.Join(lines[:min(len(lines), 30)], "\n")
}

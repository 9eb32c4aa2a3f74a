package importing_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
)

// memoryStore implements all stores of an import in memory, by the rules of the real ones. The call whose number is
// failing fails.
type memoryStore struct {
	deletedComments bool            // all comments have been deleted
	used            map[string]bool // ids of posts that were deleted long ago
	mu              sync.Mutex
	calls           int
	failing         int
	bio             string
	displayName     string
	undone          int
	posts           map[string]domain.Post
	versions        map[string]domain.PostVersion
	drafts          map[string]domain.Draft
	records         map[string]domain.Import
	redirects       map[string]domain.Redirect
	requests        domain.AddressRequests
	images          map[string]domain.Image
	files           map[string]int
	comments        map[string]domain.Comment

	deletesImages bool // pictures are deleted while their files are written
}

func newStore() *memoryStore {
	return &memoryStore{posts: map[string]domain.Post{}, versions: map[string]domain.PostVersion{},
		drafts:  map[string]domain.Draft{},
		records: map[string]domain.Import{}, redirects: map[string]domain.Redirect{}, images: map[string]domain.Image{},
		files: map[string]int{}, comments: map[string]domain.Comment{}}
}

var (
	errCut     = domain.NewError(domain.Unavailable, "cut off")
	errMissing = domain.NewError(domain.NotFound, "there is none")
	errClosed  = domain.NewError(domain.Forbidden, "comments are closed")
	errRace    = domain.NewError(domain.Conflict, "it is another version")
)

// enter begins a call. The caller must call leave.
func (m *memoryStore) enter() (leave func(), err error) {
	m.mu.Lock()
	if m.calls++; m.calls == m.failing {
		err = errCut
	}
	return m.mu.Unlock, err
}

// put writes one item, unless the call fails.
func put[T any](m *memoryStore, into map[string]T, key string, value T) error {
	leave, err := m.enter()
	defer leave()
	if err == nil {
		into[key] = value
	}
	return err
}

// get reads one item, unless the call fails.
func get[T any](m *memoryStore, from map[string]T, key string) (T, error) {
	leave, err := m.enter()
	defer leave()
	value, ok := from[key]
	if err == nil && !ok {
		err = errMissing
	}
	return value, err
}

type (
	users     struct{ *memoryStore }
	posts     struct{ *memoryStore }
	drafts    struct{ *memoryStore }
	records   struct{ *memoryStore }
	redirects struct{ *memoryStore }
	images    struct{ *memoryStore }
	files     struct{ *memoryStore }
)

func (u users) ByID(_ context.Context, id string) (domain.User, error) {
	leave, err := u.enter()
	defer leave()
	if err == nil && id != ada.ID {
		err = errMissing
	}
	user := ada
	user.DisplayName, user.Bio = u.displayName, u.bio
	return user, err
}

func (u users) SetProfile(_ context.Context, _ string, p domain.Profile) error {
	leave, err := u.enter()
	defer leave()
	if err == nil {
		u.bio = p.Bio
	}
	return err
}
func (u users) SetDisplayName(_ context.Context, _, name string) (domain.User, error) {
	leave, err := u.enter()
	defer leave()
	if err == nil {
		u.displayName = name
	}
	return domain.User{DisplayName: name}, err
}
func (u users) SetHeader(context.Context, string, domain.Cover) error { return nil }
func (u users) Pin(context.Context, string, string, []string) error   { return nil }
func (u users) SetAvatar(context.Context, string, string) error       { return nil }

func (p posts) Latest(_ context.Context, id string) (domain.Post, error) {
	return get(p.memoryStore, p.posts, id)
}

func (p posts) Used(_ context.Context, id string) (bool, error) { return p.used[id], nil }

func (p posts) Create(_ context.Context, post domain.Post) error {
	leave, err := p.enter()
	defer leave()
	if _, there := p.posts[post.ID]; err == nil && !there {
		p.posts[post.ID] = post
	}
	return err
}

func (p posts) Edit(_ context.Context, e domain.Edit, _ string) (domain.Post, error) {
	leave, err := p.enter()
	defer leave()
	post := p.posts[e.PostID]
	switch {
	case err != nil:
		return domain.Post{}, err
	case post.Revision != e.Revision:
		return domain.Post{}, errRace
	}
	p.versions[fmt.Sprint(post.ID, post.Revision)] = post.PastVersion()
	post.Title, post.Content, post.Tags, post.Details = e.Title, e.Content, e.Tags, e.Details
	post.Status, post.Edited = e.Status, e.At
	post.Revision++
	p.posts[post.ID] = post
	return post, nil
}

func (p posts) AddVersion(_ context.Context, v domain.PostVersion) error {
	return put(p.memoryStore, p.versions, fmt.Sprint(v.PostID, v.Revision), v)
}

func (p posts) Comment(_ context.Context, postID, id string) (domain.Comment, error) {
	return get(p.memoryStore, p.comments, postID+id)
}

func (p posts) AddComment(_ context.Context, c domain.Comment) (domain.Post, error) {
	if p.posts[c.PostID].CommentsClosed {
		return domain.Post{}, errClosed
	}
	if p.deletedComments {
		return domain.Post{}, domain.ErrCommentDeleted
	}
	return domain.Post{}, put(p.memoryStore, p.comments, c.PostID+c.ID, c)
}

func (p posts) CloseComments(_ context.Context, postID, _ string, closed bool) (domain.Post, error) {
	leave, err := p.enter()
	defer leave()
	post := p.posts[postID]
	if err == nil {
		post.CommentsClosed = closed
		p.posts[postID] = post
	}
	return post, err
}
func (p posts) Like(context.Context, domain.Like) (domain.Post, error) { return domain.Post{}, nil }
func (p posts) Bookmark(context.Context, domain.Post, string, time.Time) (domain.Bookmark, error) {
	return domain.Bookmark{}, nil
}

func (d drafts) Get(_ context.Context, _, id string) (domain.Draft, error) {
	return get(d.memoryStore, d.drafts, id)
}

func (d drafts) Save(_ context.Context, draft domain.Draft) (domain.Draft, error) {
	leave, err := d.enter()
	defer leave()
	if err == nil {
		err = domain.CheckDraft(draft)
	}
	stored, there := d.drafts[draft.PostID]
	switch {
	case err != nil:
		return domain.Draft{}, err
	case there && stored.SameText(draft):
		return stored, nil
	case stored.Version != draft.Version:
		return domain.Draft{}, errRace
	}
	draft.Version, draft.Publish = draft.Version+1, stored.Publish
	d.drafts[draft.PostID] = draft
	return draft, nil
}

func (d drafts) Schedule(_ context.Context, _, id string, version int, at time.Time) (domain.Draft, error) {
	leave, err := d.enter()
	defer leave()
	draft := d.drafts[id]
	switch {
	case err != nil:
		return domain.Draft{}, err
	case draft.Version != version:
		return domain.Draft{}, errRace
	}
	draft.Publish = at
	d.drafts[id] = draft
	return draft, nil
}

func (d drafts) Unschedule(_ context.Context, _, id string) (domain.Draft, error) {
	leave, err := d.enter()
	defer leave()
	draft := d.drafts[id]
	if err == nil {
		draft.Publish = time.Time{}
		d.drafts[id] = draft
	}
	return draft, err
}

func (d drafts) Discard(_ context.Context, _, id string, version int) error {
	leave, err := d.enter()
	defer leave()
	if err == nil && d.drafts[id].Version != version {
		err = errRace
	}
	if err == nil {
		delete(d.drafts, id)
	}
	return err
}

func (r records) Of(context.Context, string) ([]domain.Import, error) {
	leave, err := r.enter()
	defer leave()
	return slices.Collect(maps.Values(r.records)), err
}
func (r records) Undone(context.Context, string) (int, error) {
	leave, err := r.enter()
	defer leave()
	return r.undone, err
}
func (r records) Put(_ context.Context, i domain.Import) error {
	return put(r.memoryStore, r.records, i.PostID, i)
}

func (r redirects) Put(_ context.Context, to domain.Redirect) (domain.Redirect, error) {
	leave, err := r.enter()
	defer leave()
	if there, ok := r.redirects[to.Path]; err == nil && ok {
		return there, nil
	}
	if err == nil {
		r.redirects[to.Path] = to
	}
	return to, err
}
func (r redirects) Find(_ context.Context, path string) (domain.Redirect, error) {
	return get(r.memoryStore, r.redirects, path)
}

func (r redirects) Requests(context.Context, string) (domain.AddressRequests, error) {
	leave, err := r.enter()
	defer leave()
	return r.requests, err
}

func (r redirects) SetRequests(_ context.Context, all domain.AddressRequests) error {
	leave, err := r.enter()
	defer leave()
	if err == nil {
		all.ETag = "stored"
		r.requests = all
	}
	return err
}

func (r redirects) Move(_ context.Context, to domain.Redirect) error {
	return put(r.memoryStore, r.redirects, to.Path, to)
}

func (i images) All(context.Context, string) ([]domain.Image, error) {
	leave, err := i.enter()
	defer leave()
	return slices.Collect(maps.Values(i.images)), err
}

func (i images) SetSource(_ context.Context, _ string, name domain.ImageName, source string) error {
	leave, err := i.enter()
	defer leave()
	if image, ok := i.images[name.String()]; err == nil && ok {
		image.Source = source
		i.images[name.String()] = image
	}
	return err
}

func (i images) Begin(_ context.Context, image domain.Image) (domain.Image, error) {
	leave, err := i.enter()
	defer leave()
	if there, ok := i.images[image.Name.String()]; err == nil && ok {
		return there, nil
	}
	image.Incomplete = true
	if err == nil {
		i.images[image.Name.String()] = image
	}
	return image, err
}

func (i images) Complete(_ context.Context, _ string, name domain.ImageName) error {
	leave, err := i.enter()
	defer leave()
	image, ok := i.images[name.String()]
	switch {
	case err != nil:
		return err
	case !ok:
		return errMissing
	}
	image.Incomplete = false
	i.images[name.String()] = image
	return nil
}

func (i images) Get(_ context.Context, _ string, name domain.ImageName) (domain.Image, error) {
	return get(i.memoryStore, i.images, name.String())
}

func (f files) Delete(_ context.Context, name string) error {
	leave, err := f.enter()
	defer leave()
	if err == nil {
		delete(f.files, name)
	}
	return err
}

func (f files) Put(_ context.Context, name string, content []byte) error {
	if f.deletesImages {
		clear(f.images)
	}
	return put(f.memoryStore, f.files, name, len(content))
}

// idOf returns the id of the post or draft with a title.
func (m *memoryStore) idOf(t *testing.T, title string) (id string) {
	t.Helper()
	for id, p := range m.posts {
		if p.Title == title {
			return id
		}
	}
	for id, d := range m.drafts {
		if d.Title == title {
			return id
		}
	}
	t.Fatalf("there is no %q", title)
	return ""
}

// state returns the content of the store without times of writing and the number of calls.
func (m *memoryStore) state() *memoryStore {
	s := newStore()
	s.bio, s.displayName = m.bio, m.displayName
	s.posts, s.versions, s.records, s.redirects = m.posts, m.versions, m.records, m.redirects
	s.images, s.files, s.comments = m.images, m.files, m.comments
	for id, d := range m.drafts {
		d.Version, d.Saved = 0, time.Time{}
		s.drafts[id] = d
	}
	return s
}

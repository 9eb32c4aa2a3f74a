package web_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/names"
)

// fake keeps users and posts in memory, by the rules of the real store, and
// fails where it is told to.
type fake struct {
	mu       sync.Mutex
	users    map[string]domain.User
	hashes   map[string]string
	names    map[string]string // user id by name key, former names too
	posts    map[string]domain.Post
	comments map[string][]domain.Comment
	likes    map[string][]domain.Like
	deleted  map[string]string       // author's id by the id of a deleted post
	failures map[string]error        // by method
	asked    map[string]int          // calls by method
	before   map[string]func()       // what happens, once, just before a method is carried out
	drafts   map[string]domain.Draft // by author and post
	versions map[string][]domain.PostVersion
	markdown *markdown.Renderer
	short    map[domain.Post]domain.Summary
	images   map[domain.ImageName]domain.Image
	files    map[string][]byte

	credentials map[string]domain.Credentials
	secrets     map[string]domain.Secret // by digest
	tries       map[string]int

	redirects map[string]domain.Redirect // by their paths

	bookmarks  map[bookmarkKey]domain.Bookmark
	saved      map[bookmarkKey]domain.Saved
	reported   map[domain.Target]domain.Reported
	reviews    []domain.Review
	vacant     bool // who signs up next administers the site
	log        []domain.AuditEntry
	building   bool // the search index is
	sessions   map[string]domain.Session
	post       *fakePost
	government fakeGovernment
	blocks     map[blockKey]time.Time
	importJobs map[string]domain.ImportJob // by their users
	importing  map[string]bool             // users whose jobs were noted
	etags      int
}

func newFake() *fake {
	return &fake{users: map[string]domain.User{}, hashes: map[string]string{}, credentials: map[string]domain.Credentials{}, secrets: map[string]domain.Secret{}, tries: map[string]int{}, names: map[string]string{},
		posts: map[string]domain.Post{}, comments: map[string][]domain.Comment{}, likes: map[string][]domain.Like{},
		deleted: map[string]string{}, drafts: map[string]domain.Draft{}, versions: map[string][]domain.PostVersion{},
		failures: map[string]error{}, asked: map[string]int{}, before: map[string]func(){}, sessions: map[string]domain.Session{}, post: &fakePost{}, markdown: markdown.New(),
		government: fakeGovernment{settings: domain.Settings{NewDays: domain.NeverNew}}}
}

// fail makes a method fail until it is called with nil.
func (f *fake) fail(method string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures[method] = err
}

// calls is how often a method was asked.
func (f *fake) calls(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[method]
}

// enter locks the fake; what it returns must be called.
func (f *fake) enter(method string) (leave func(), err error) {
	f.mu.Lock()
	f.asked[method]++
	if happens := f.before[method]; happens != nil {
		delete(f.before, method)
		happens()
	}
	return f.mu.Unlock, f.failures[method]
}

var errMissing = domain.Errorf(domain.NotFound, "There is no such thing.")

// fakeUsers, fakePosts and fakeFeed are the stores: Create is a method of two.
type (
	fakeUsers struct{ *fake }
	fakePosts struct{ *fake }
	fakeFeed  struct{ *fake }
)

func (f fakeUsers) Create(_ context.Context, u domain.User, hash string) error {
	leave, err := f.enter("Users.Create")
	defer leave()
	if err != nil {
		return err
	}
	key := names.NameKey(u.Username)
	if f.names[key] != "" {
		return domain.ErrUsernameTaken(u.Username)
	}
	if f.alike(u.ID, u.Username) {
		return domain.ErrUsernameConfusable(u.Username)
	}
	f.names[key], f.users[u.ID], f.hashes[u.ID] = u.ID, u, hash
	return nil
}

// alike tells whether somebody else has a name that looks like that one.
func (f fakeUsers) alike(id, name string) bool {
	for held, holder := range f.names {
		if holder != id && names.Skeleton(held) == names.Skeleton(name) {
			return true
		}
	}
	return false
}

func (f fakeUsers) ByID(_ context.Context, id string) (domain.User, error) {
	leave, err := f.enter("ByID")
	defer leave()
	if err != nil {
		return domain.User{}, err
	}
	u, ok := f.users[id]
	if !ok || !u.Suspended.IsZero() {
		return domain.User{}, errMissing
	}
	return u, nil
}

func (f fakeUsers) ByName(_ context.Context, name string) (domain.User, error) {
	leave, err := f.enter("ByName")
	defer leave()
	if err != nil {
		return domain.User{}, err
	}
	u, ok := f.users[f.names[names.NameKey(name)]]
	if !ok || !u.Suspended.IsZero() {
		return domain.User{}, errMissing
	}
	return u, nil
}

func (f fakeUsers) PasswordHash(_ context.Context, id string) (string, error) {
	leave, err := f.enter("PasswordHash")
	defer leave()
	return f.hashes[id], err
}

func (f fakeUsers) Rename(_ context.Context, id, name string) (domain.User, error) {
	leave, err := f.enter("Rename")
	defer leave()
	if err != nil {
		return domain.User{}, err
	}
	key := names.NameKey(name)
	if holder := f.names[key]; holder != "" && holder != id {
		return domain.User{}, domain.ErrUsernameTaken(name)
	}
	if f.alike(id, name) {
		return domain.User{}, domain.ErrUsernameConfusable(name)
	}
	u := f.users[id]
	u.Username = name
	f.names[key], f.users[id] = id, u
	return u, nil
}

func (f fakeUsers) Delete(_ context.Context, id string) error {
	leave, err := f.enter("Users.Delete")
	defer leave()
	if err != nil {
		return err
	}
	delete(f.users, id)
	delete(f.hashes, id)
	maps.DeleteFunc(f.names, func(_, holder string) bool { return holder == id })
	for _, p := range f.posts {
		if p.AuthorID == id {
			f.deletePost(p)
		}
	}
	return nil
}

func (f *fake) deletePost(p domain.Post) {
	f.deleted[p.ID] = p.AuthorID
	delete(f.posts, p.ID)
	delete(f.comments, p.ID)
	delete(f.likes, p.ID)
}

func (f fakeUsers) PostsOf(_ context.Context, id string, page int) (domain.Page[domain.Summary], error) {
	leave, err := f.enter("PostsOf")
	defer leave()
	return f.summaries(page, func(p domain.Post) bool { return p.AuthorID == id }), err
}

func (f fakeFeed) FrontPage(_ context.Context, page int) (domain.Page[domain.Summary], error) {
	leave, err := f.enter("FrontPage")
	defer leave()
	return f.summaries(page, func(domain.Post) bool { return true }), err
}

// summary is made once a post, as the real copies are.
func (f *fake) summary(p domain.Post) domain.Summary {
	short, made := f.short[p]
	if !made {
		short = f.markdown.Summarize(p)
		if f.short == nil {
			f.short = map[domain.Post]domain.Summary{}
		}
		f.short[p] = short
	}
	return short
}

func (f *fake) summaries(page int, take func(domain.Post) bool) domain.Page[domain.Summary] {
	var all []domain.Summary
	for _, p := range f.posts {
		if take(p) && p.Listed() {
			all = append(all, f.summary(p))
		}
	}
	slices.SortFunc(all, domain.NewestFirst)
	return cut(all, page, domain.PostsPerPage)
}

func cut[T any](all []T, page, size int) domain.Page[T] {
	from := min((page-1)*size, len(all))
	return domain.Cut(all[from:], page, size)
}

func (f fakePosts) Create(_ context.Context, p domain.Post) error {
	leave, err := f.enter("Posts.Create")
	defer leave()
	if err != nil {
		return err
	}
	if f.deleted[p.ID] != "" {
		return domain.Errorf(domain.Conflict, "This post was deleted.")
	}
	switch current, there := f.posts[p.ID]; {
	case !there:
		f.posts[p.ID] = p
	case current.AuthorID != p.AuthorID:
		return domain.Errorf(domain.Forbidden, "You can only edit your own posts.")
	case current.Title != p.Title || current.Content != p.Content || current.Tags != p.Tags:
		return domain.Errorf(domain.Conflict, "The post was published with another text in the meantime.")
	}
	return nil
}

func (f fakePosts) Delete(_ context.Context, id, authorID string) error {
	leave, err := f.enter("Posts.Delete")
	defer leave()
	if err != nil {
		return err
	}
	p, there := f.posts[id]
	switch author := cmp.Or(p.AuthorID, f.deleted[id]); {
	case author == "":
		return errMissing
	case author != authorID:
		return domain.Errorf(domain.Forbidden, "You can only delete your own posts.")
	case there:
		f.deletePost(p)
	}
	return nil
}

func (f fakePosts) Get(_ context.Context, id string) (domain.Post, error) {
	leave, err := f.enter("Get")
	defer leave()
	if err != nil {
		return domain.Post{}, err
	}
	p, ok := f.posts[id]
	if !ok || !p.Open() {
		return domain.Post{}, errMissing
	}
	return p, nil
}

func (f fakePosts) Edit(_ context.Context, e domain.Edit, authorID string) (domain.Post, error) {
	leave, err := f.enter("Edit")
	defer leave()
	if err != nil {
		return domain.Post{}, err
	}
	p, ok := f.posts[e.PostID]
	switch {
	case !ok:
		return domain.Post{}, errMissing
	case p.AuthorID != authorID:
		return domain.Post{}, domain.Errorf(domain.Forbidden, "You can only edit your own posts.")
	case p.Revision != e.Revision:
		return domain.Post{}, domain.Errorf(domain.Conflict, "Changed meanwhile.")
	}
	if e.Rewrites(p) {
		f.keepVersion(p)
		p.Edited = e.At
	}
	p.Title, p.Content, p.Tags, p.Status = e.Title, e.Content, e.Tags, e.Status
	p.Revision++
	if p.Held == domain.NotHeld {
		p.Held = e.Held
	}
	f.posts[p.ID] = p
	return p, nil
}

func (f fakePosts) Like(_ context.Context, l domain.Like) (domain.Post, error) {
	leave, err := f.enter("Like")
	defer leave()
	if err != nil {
		return domain.Post{}, err
	}
	p, ok := f.posts[l.PostID]
	if !ok {
		return domain.Post{}, errMissing
	}
	if !slices.ContainsFunc(f.likes[p.ID], func(o domain.Like) bool { return o.UserID == l.UserID }) {
		f.likes[p.ID] = append(f.likes[p.ID], l)
		p.LikeCount++
		f.posts[p.ID] = p
	}
	return p, nil
}

func (f fakePosts) Unlike(_ context.Context, id, userID string) (domain.Post, error) {
	leave, err := f.enter("Unlike")
	defer leave()
	if err != nil {
		return domain.Post{}, err
	}
	p, ok := f.posts[id]
	if !ok {
		return domain.Post{}, errMissing
	}
	f.likes[id] = slices.DeleteFunc(f.likes[id], func(o domain.Like) bool { return o.UserID == userID })
	p.LikeCount = len(f.likes[id])
	f.posts[id] = p
	return p, nil
}

func (f fakePosts) Liked(_ context.Context, id, userID string) (bool, error) {
	leave, err := f.enter("Liked")
	defer leave()
	return slices.ContainsFunc(f.likes[id], func(o domain.Like) bool { return o.UserID == userID }), err
}

func (f fakePosts) Likes(_ context.Context, id string, page int) (domain.Page[domain.Like], error) {
	leave, err := f.enter("Likes")
	defer leave()
	newest := slices.Clone(f.likes[id])
	slices.SortStableFunc(newest, func(a, b domain.Like) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.UserID, b.UserID))
	})
	return cut(newest, page, domain.LikesPerPage), err
}

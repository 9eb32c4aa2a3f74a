package web_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"inkfeed/domain"
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
	deleted  map[string]string // author's id by the id of a deleted post
	failures map[string]error  // by method
	asked    map[string]int    // calls by method
	before   map[string]func() // what happens, once, just before a method is carried out
	markdown *domain.Markdown
}

func newFake() *fake {
	return &fake{users: map[string]domain.User{}, hashes: map[string]string{}, names: map[string]string{},
		posts: map[string]domain.Post{}, comments: map[string][]domain.Comment{}, likes: map[string][]domain.Like{},
		deleted:  map[string]string{},
		failures: map[string]error{}, asked: map[string]int{}, before: map[string]func(){}, markdown: domain.NewMarkdown()}
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
	key := domain.NameKey(u.Username)
	if f.names[key] != "" {
		return domain.ErrUsernameTaken(u.Username)
	}
	f.names[key], f.users[u.ID], f.hashes[u.ID] = u.ID, u, hash
	return nil
}

func (f fakeUsers) ByID(_ context.Context, id string) (domain.User, error) {
	leave, err := f.enter("ByID")
	defer leave()
	if err != nil {
		return domain.User{}, err
	}
	u, ok := f.users[id]
	if !ok {
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
	u, ok := f.users[f.names[domain.NameKey(name)]]
	if !ok {
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
	key := domain.NameKey(name)
	if holder := f.names[key]; holder != "" && holder != id {
		return domain.User{}, domain.ErrUsernameTaken(name)
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

func (f *fake) summaries(page int, take func(domain.Post) bool) domain.Page[domain.Summary] {
	var all []domain.Summary
	for _, p := range f.posts {
		if take(p) {
			all = append(all, f.markdown.Summarize(p))
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
	if _, there := f.posts[p.ID]; !there {
		f.posts[p.ID] = p
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
		return domain.Errorf(domain.Forbidden, "Only its author can delete a post.")
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
	if !ok {
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
		return domain.Post{}, domain.Errorf(domain.Forbidden, "Only its author can edit a post.")
	case p.Revision != e.Revision:
		return domain.Post{}, domain.Errorf(domain.Conflict, "Changed meanwhile.")
	}
	p.Title, p.Content, p.Edited = e.Title, e.Content, e.At
	p.Revision++
	f.posts[p.ID] = p
	return p, nil
}

func (f fakePosts) Comments(_ context.Context, id string, page int) (domain.Page[domain.Comment], error) {
	leave, err := f.enter("Comments")
	defer leave()
	return cut(f.comments[id], page, domain.CommentsPerPage), err
}

func (f fakePosts) AddComment(_ context.Context, c domain.Comment) (domain.Post, error) {
	leave, err := f.enter("AddComment")
	defer leave()
	if err != nil {
		return domain.Post{}, err
	}
	p, ok := f.posts[c.PostID]
	if !ok {
		return domain.Post{}, errMissing
	}
	if slices.ContainsFunc(f.comments[p.ID], func(o domain.Comment) bool { return o.ID == c.ID }) {
		return p, nil
	}
	f.comments[c.PostID] = append(f.comments[c.PostID], c)
	p.CommentCount++
	f.posts[p.ID] = p
	return p, nil
}

func (f fakePosts) Comment(_ context.Context, postID, id string) (domain.Comment, error) {
	leave, err := f.enter("Comment")
	defer leave()
	if err != nil {
		return domain.Comment{}, err
	}
	i := slices.IndexFunc(f.comments[postID], func(o domain.Comment) bool { return o.ID == id })
	if i < 0 {
		return domain.Comment{}, errMissing
	}
	return f.comments[postID][i], nil
}

func (f fakePosts) DeleteComment(_ context.Context, postID, id, userID string) (domain.Post, error) {
	leave, err := f.enter("DeleteComment")
	defer leave()
	if err != nil {
		return domain.Post{}, err
	}
	p, ok := f.posts[postID]
	if !ok {
		return domain.Post{}, errMissing
	}
	i := slices.IndexFunc(f.comments[postID], func(o domain.Comment) bool { return o.ID == id })
	if i < 0 {
		return p, nil
	}
	if f.comments[postID][i].AuthorID != userID {
		return domain.Post{}, domain.Errorf(domain.Forbidden, "Only its author can delete a comment.")
	}
	// Not slices.Delete: a page that was read still holds the rest.
	f.comments[postID] = slices.Concat(f.comments[postID][:i], f.comments[postID][i+1:])
	p.CommentCount--
	f.posts[postID] = p
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

// Package importing imports a portable.Blog into a user's blog. It can be repeated: each post is imported once, and
// posts that were changed here since stay unchanged.
package importing

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/picture"
	"inkfeed/domain/portable"
)

// Posts stores posts. Errors are of the domain's kinds.
type Posts interface {
	// Latest also returns the marker of a deleted post.
	Latest(ctx context.Context, postID string) (domain.Post, error)
	// Used reports whether a post with this id was deleted completely, also after its marker has expired.
	Used(ctx context.Context, postID string) (bool, error)
	Create(ctx context.Context, p domain.Post) error
	Edit(ctx context.Context, e domain.Edit, authorID string) (domain.Post, error)
	AddVersion(ctx context.Context, v domain.PostVersion) error
	Comment(ctx context.Context, postID, commentID string) (domain.Comment, error)
	AddComment(ctx context.Context, c domain.Comment) (domain.Post, error)
	CloseComments(ctx context.Context, postID, authorID string, closed bool) (domain.Post, error)
	Like(ctx context.Context, l domain.Like) (domain.Post, error)
	Bookmark(ctx context.Context, p domain.Post, userID string, now time.Time) (domain.Bookmark, error)
}

// Drafts stores drafts.
type Drafts interface {
	Get(ctx context.Context, userID, postID string) (domain.Draft, error)
	Save(ctx context.Context, d domain.Draft) (domain.Draft, error)
	Schedule(ctx context.Context, userID, postID string, version int, at time.Time) (domain.Draft, error)
	Unschedule(ctx context.Context, userID, postID string) (domain.Draft, error)
	Discard(ctx context.Context, userID, postID string, version int) error
}

// Records stores which posts were imported.
type Records interface {
	// Of lists the records of a user.
	Of(ctx context.Context, userID string) ([]domain.Import, error)
	Put(ctx context.Context, i domain.Import) error
	// Undone counts the undone imports of a user: see domain.ImportGeneration.
	Undone(ctx context.Context, userID string) (int, error)
}

// Redirects stores redirects from former addresses to posts and lists of posts.
type Redirects interface {
	Requests
	Find(ctx context.Context, path string) (domain.Redirect, error)
	Put(ctx context.Context, r domain.Redirect) (domain.Redirect, error)
	Move(ctx context.Context, r domain.Redirect) error
}

// Images stores the records of pictures, and Files stores their content.
type (
	Images interface {
		// All lists the pictures of a user.
		All(ctx context.Context, userID string) ([]domain.Image, error)
		// SetSource records the digest of the file from which a picture was made.
		SetSource(ctx context.Context, userID string, name domain.ImageName, source string) error
		Begin(ctx context.Context, image domain.Image) (domain.Image, error)
		Complete(ctx context.Context, userID string, name domain.ImageName) error
		Get(ctx context.Context, userID string, name domain.ImageName) (domain.Image, error)
	}
	Files interface {
		Put(ctx context.Context, name string, content []byte) error
		Delete(ctx context.Context, name string) error
	}
	Users interface {
		ByID(ctx context.Context, userID string) (domain.User, error)
	}
	Profiles interface {
		SetProfile(ctx context.Context, userID string, p domain.Profile) error
		SetDisplayName(ctx context.Context, userID, displayName string) (domain.User, error)
		SetAvatar(ctx context.Context, userID, name string) error
		SetHeader(ctx context.Context, userID string, header domain.Cover) error
		Pin(ctx context.Context, userID, postID string, gone []string) error
	}
)

// Importer imports a blog for one user, or for several authors.
type Importer struct {
	// User gets all posts that have no owner in Owners. Owners maps portable.Post.Author to users. A nil map
	// gives everything to User.
	User      domain.User
	Owners    map[string]domain.User
	Users     Users
	Profiles  Profiles
	Posts     Posts
	Drafts    Drafts
	Records   Records
	Redirects Redirects
	Images    Images
	Files     Files
	Maker     *picture.Maker
	Now       time.Time
	// DryRun determines the report without writing anything.
	DryRun bool
	// Job is the domain.ImportJob that the import belongs to, or empty for the command. The import marks
	// everything that it creates with Job, so that it can be undone.
	Job string
	// Screen decides whether and why a post is held for review. With a nil Screen no post is held.
	Screen Screen
	// ClaimsAll claims former addresses for which other imports have to ask an administrator: see domain.ClaimOf.
	ClaimsAll bool
	// Confined leaves out comments and likes on posts of other users.
	Confined bool
	// Capped bounds the number of redirects of User: see MaxRedirects.
	Capped bool
	// MissingPictures decides about public posts with pictures that the export lacks.
	MissingPictures portable.PicturePolicy
	// Try makes a call to one of the stores above, and repeats it if that may help.
	Try func(ctx context.Context, call func() error) error
	// Writers is the number of posts prepared and written at once. Zero means the default, which lets the
	// engine sync many posts at a time.
	Writers int
	// Progress is called after each post. It may be called by several goroutines at a time.
	Progress func()
	// PictureDone is called after each picture, and may be nil.
	PictureDone func()
}

const (
	defaultWriters = 16
	// preparedPosts is the number of posts that are prepared at the same time. Most wait for their pictures, while
	// posts without pictures are written.
	preparedPosts = 256
)

// decoders returns the number of pictures that are decoded at the same time. One core is left for writing posts.
func decoders() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// run is one import.
type run struct {
	*Importer
	blog      *portable.Blog
	directory *portable.Directory
	ids       []string // ids of the posts, by their index
	byID      map[string]int
	pictures  pictures
	// redirected holds the former addresses that an earlier import has written, by the index of their posts.
	redirected [][]string
	fragments  fragments
	records    map[string]domain.Import // by the posts' ids, as they were when the import began
	writers    *semaphore.Weighted
	listed     listed
	importable []importability // of the posts, by their index
	undone     map[string]int  // imports by their user, see domain.ImportGeneration
	others     int             // number of comments that a confined import leaves out
	addresses  addressBudget
	lacking    map[int]int // numbers of missing pictures of the posts that are drafts for them, by the posts' index

	mu       sync.Mutex
	report   Report
	problems [][]portable.Problem // by the posts' index
	asked    []domain.Redirect    // the addresses to ask administrators for
	// closing holds the records of posts whose comments are closed after all comments were imported, by the posts'
	// index.
	closing map[int]domain.Import
}

// Import imports a blog. After an error, it can be repeated and continues. Parts of a post that could not be kept are
// in the report and cause no error.
func (i *Importer) Import(ctx context.Context, blog *portable.Blog) (Report, error) {
	own := *blog // findMissing changes posts
	own.Posts = slices.Clone(blog.Posts)
	blog = &own
	r := &run{Importer: i, blog: blog, directory: portable.NewDirectory(blog), byID: make(map[string]int),
		problems: make([][]portable.Problem, len(blog.Posts)), redirected: make([][]string, len(blog.Posts)),
		closing: make(map[int]domain.Import), lacking: make(map[int]int)}
	r.report.Found = blog.Found()
	r.fragments.markdown, r.fragments.find = markdown.New(), make(map[int]func(string) (string, bool))
	r.writers = semaphore.NewWeighted(int64(cmp.Or(i.Writers, defaultWriters)))
	r.pictures = pictures{run: r, done: make(map[pictureOf]*importedPicture), listed: make(map[string]portable.Picture),
		decoders: semaphore.NewWeighted(int64(decoders()))}
	for _, p := range blog.Pictures {
		r.pictures.listed[p.File] = p
	}
	if err := r.readRecords(ctx); err != nil {
		return r.report, err
	}
	r.findMissing()
	r.importable = make([]importability, len(blog.Posts))
	if err := r.identify(ctx); err != nil {
		return r.report, err
	}
	r.capRedirects()
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(i.Writers, preparedPosts))
	for n := range blog.Posts {
		if groupCtx.Err() != nil {
			break
		}
		group.Go(func() (err error) {
			defer Recovered(&err)
			defer i.Progress()
			return r.post(groupCtx, n)
		})
	}
	err := group.Wait()
	if err == nil {
		err = ctx.Err()
	}
	for _, step := range []func(context.Context) error{r.listings, r.request, r.pictures.addListed, r.rest} {
		if err == nil {
			err = step(ctx)
		}
	}
	r.reportLeftAddresses()
	r.report.Pictures, r.report.AllPictures = r.pictures.count()
	problems := append([]portable.Problem(nil), blog.Problems...)
	for _, list := range r.problems {
		problems = append(problems, list...)
	}
	r.report.Problems = append(problems, r.report.Problems...)
	return r.report, err
}

// countUnchanged counts a post that needs no change. A post that this job created before an interruption counts
// as new.
func (r *run) countUnchanged(n int, record domain.Import) {
	if r.Job != "" && record.Job == r.Job {
		r.countNew(n)
		return
	}
	r.count(&r.report.Unchanged)
}

// hold returns the reason why a post has to be held for review, or NotHeld. Before is the post that the import changes,
// or zero.
func (r *run) hold(ctx context.Context, author domain.User, before domain.Post, w wanted) (domain.Hold, error) {
	return r.Screen.hold(ctx, r.Try, author, before,
		domain.Draft{Title: w.title, Content: w.content, Tags: w.typed, Details: w.details})
}

// Screen returns the hold of the post that is made from a draft, or NotHeld. Before is the post that the draft changes;
// it is zero for a new post.
type Screen func(ctx context.Context, author domain.User, before domain.Post, d domain.Draft) (domain.Hold, error)

// hold calls s by means of try, which may call it again. If s is nil, hold returns NotHeld.
func (s Screen) hold(ctx context.Context, try func(context.Context, func() error) error, author domain.User,
	before domain.Post, d domain.Draft) (hold domain.Hold, err error) {
	if s == nil {
		return domain.NotHeld, nil
	}
	err = try(ctx, func() (err error) { hold, err = s(ctx, author, before, d); return err })
	return hold, err
}

func (r *run) latest(ctx context.Context, id string) (post domain.Post, err error) {
	err = r.Try(ctx, func() (err error) { post, err = r.Posts.Latest(ctx, id); return err })
	return post, err
}

// addProblem reports a loss or change in a post.
func (r *run) addProblem(n int, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems[n] = append(r.problems[n], portable.NewProblem(r.blog.Posts[n].Where, format, args...))
}

// wrote records that something was written that views may show.
func (r *run) wrote() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Written = true
}

// count adds one to a number of the report.
func (r *run) count(number *int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*number++
}

package cosmos

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"inkfeed/domain"
)

// Violation is a broken invariant of the denormalised data.
type Violation struct {
	Rule    string // what should hold
	Subject string // the item it does not hold for
	Detail  string
}

func (v Violation) String() string {
	return fmt.Sprintf("%s: %s: %s", v.Rule, v.Subject, v.Detail)
}

// Verify reads every item and reports each violation of what the model
// promises: counters equal items, copies equal the projections of their
// sources, the feed is exactly the newest posts, usernames are current and
// reserved, nothing is orphaned, leases tile the hash space. progress is told
// the number of items read so far.
//
// It is meaningful once the workers have caught up and while nobody writes:
// otherwise what is under way shows as violations. It holds the posts' short
// forms and the users in memory.
func (s *Store) Verify(ctx context.Context, markdown *domain.Markdown, progress func(items int), report func(Violation)) (Counts, error) {
	a := &audit{
		markdown: markdown, progress: progress, report: report,
		users: make(map[string]userItem), credentials: make(map[string]bool),
		names: make(map[string]usernameItem), posts: make(map[string]*auditedPost),
		copies: make(map[string]domain.Summary),
	}
	ctx = operation(ctx, "verify")
	steps := []func(context.Context, *Store) error{a.readUsers, a.readPosts, a.readFeed, a.readLeases}
	for _, step := range steps {
		if err := step(ctx, s); err != nil {
			return Counts{}, translate(err)
		}
	}
	a.checkNames()
	a.checkPosts()
	a.checkFeed()
	a.checkLeases()
	return Counts{Items: a.items, Users: len(a.users), Posts: len(a.posts)}, nil
}

// Counts says how much Verify looked at.
type Counts struct{ Items, Users, Posts int }

type audit struct {
	markdown *domain.Markdown
	progress func(int)
	report   func(Violation)
	items    int

	users       map[string]userItem
	credentials map[string]bool
	names       map[string]usernameItem
	posts       map[string]*auditedPost
	copies      map[string]domain.Summary // in users, by post
	feed        []domain.Summary
	leases      map[string][]domain.FeedRange
}

type auditedPost struct {
	present         bool
	summary         domain.Summary
	comments, likes int // items counted
}

func (a *audit) read() {
	if a.items++; a.items%1000 == 0 {
		a.progress(a.items)
	}
}

func (a *audit) violation(rule, subject, format string, args ...any) {
	a.report(Violation{Rule: rule, Subject: subject, Detail: fmt.Sprintf(format, args...)})
}

// anyUsersItem has the properties of every shape in users.
type anyUsersItem struct {
	summaryItem
	Username      string `json:"username"`
	NameVersion   int    `json:"nameVersion"`
	SpreadVersion int    `json:"spreadVersion"`
	OwnerID       string `json:"ownerId"`
	TTL           int    `json:"ttl"`
}

func (a *audit) readUsers(ctx context.Context, s *Store) error {
	return scan(ctx, s.Users.c, `SELECT * FROM c`, nil, func(i anyUsersItem) error {
		a.read()
		switch i.Type {
		case typeUser:
			a.users[i.UserID] = userItem{ID: i.ID, UserID: i.UserID, Username: i.Username,
				NameVersion: i.NameVersion, SpreadVersion: i.SpreadVersion}
		case typeCredentials:
			a.credentials[i.UserID] = true
		case typeUsername:
			a.names[i.ID] = usernameItem{ID: i.ID, OwnerID: i.OwnerID, TTL: i.TTL}
		case typePost:
			if _, twice := a.copies[i.PostID]; twice {
				a.violation("a post has one copy in users", "post "+i.PostID, "there is another under user %s", i.UserID)
			}
			a.checkPostID("users", i.ID, i.PostID)
			a.copies[i.PostID] = i.summaryItem.domain()
		default:
			a.violation("items are of a known type", "users item "+i.ID, "type %q", i.Type)
		}
		return nil
	})
}

func (a *audit) post(id string) *auditedPost {
	p := a.posts[id]
	if p == nil {
		p = &auditedPost{}
		a.posts[id] = p
	}
	return p
}

func (a *audit) readPosts(ctx context.Context, s *Store) error {
	return scan(ctx, s.Posts.c, `SELECT * FROM c`, nil, func(i postItem) error {
		a.read()
		p := a.post(i.PostID)
		switch i.Type {
		case typePost:
			a.checkPostID("posts", i.ID, i.PostID)
			p.present, p.summary = true, a.markdown.Summarize(i.domain())
		case typeComment:
			p.comments++
		case typeLike:
			p.likes++
			if want := domain.LikeID(i.UserID); i.ID != want {
				a.violation("a like's id is derived from the user's", "like "+i.ID+" of post "+i.PostID, "should be %s", want)
			}
		default:
			a.violation("items are of a known type", "posts item "+i.ID, "type %q", i.Type)
		}
		a.checkAuthor(i.Type+" "+i.ID+" of post "+i.PostID, i.UserID, i.UserUsername)
		return nil
	})
}

// checkPostID holds that a post, and each copy of it, is found by the post's id.
func (a *audit) checkPostID(where, id, postID string) {
	if id != postID {
		a.violation("a post's id is that of its partition", "item "+id+" in "+where, "it is of post %s", postID)
	}
}

// checkAuthor is asked after all users were read.
func (a *audit) checkAuthor(subject, userID, username string) {
	user, ok := a.users[userID]
	switch {
	case !ok:
		a.violation("authors exist", subject, "there is no user %s", userID)
	case user.Username != username:
		a.violation("usernames are current", subject, "says %q, the user is %q", username, user.Username)
	}
}

func (a *audit) readFeed(ctx context.Context, s *Store) error {
	return scan(ctx, s.Feed.c, `SELECT * FROM c`, nil, func(i summaryItem) error {
		a.read()
		a.checkPostID("feed", i.ID, i.PostID)
		if i.Type != typePost {
			a.violation("items are of a known type", "feed item "+i.ID, "type %q", i.Type)
		}
		a.feed = append(a.feed, i.domain())
		return nil
	})
}

func (a *audit) readLeases(ctx context.Context, s *Store) error {
	a.leases = make(map[string][]domain.FeedRange)
	return scan(ctx, s.Leases.c, `SELECT * FROM c`, nil, func(i leaseItem) error {
		a.read()
		a.leases[i.Processor] = append(a.leases[i.Processor], i.domain().Range)
		return nil
	})
}

func (a *audit) checkNames() {
	for _, id := range slices.Sorted(maps.Keys(a.users)) {
		user := a.users[id]
		subject := fmt.Sprintf("user %s (%s)", id, user.Username)
		name, ok := a.names[domain.NameKey(user.Username)]
		switch {
		case !ok:
			a.violation("usernames are reserved", subject, "there is no reservation")
		case name.OwnerID != id:
			a.violation("usernames are reserved", subject, "the name belongs to %s", name.OwnerID)
		case name.TTL != forever:
			a.violation("usernames are reserved", subject, "the reservation would expire")
		}
		if !a.credentials[id] {
			a.violation("users have credentials", subject, "there are none")
		}
		if user.SpreadVersion != user.NameVersion {
			a.violation("renames are spread", subject, "version %d of the name is spread, it is at %d",
				user.SpreadVersion, user.NameVersion)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(a.names)) {
		name := a.names[key]
		if _, ok := a.users[name.OwnerID]; !ok && name.TTL == forever {
			a.violation("reserved names have an owner", "username "+key, "there is no user %s", name.OwnerID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.credentials)) {
		if _, ok := a.users[id]; !ok {
			a.violation("nothing is orphaned", "credentials of "+id, "there is no such user")
		}
	}
}

func (a *audit) checkPosts() {
	for _, id := range slices.Sorted(maps.Keys(a.posts)) {
		p := a.posts[id]
		subject := "post " + id
		if !p.present {
			a.violation("nothing is orphaned", subject, "it has %d comments and %d likes but does not exist", p.comments, p.likes)
			continue
		}
		if p.summary.CommentCount != p.comments {
			a.violation("counts equal items", subject, "commentCount is %d, there are %d", p.summary.CommentCount, p.comments)
		}
		if p.summary.LikeCount != p.likes {
			a.violation("counts equal items", subject, "likeCount is %d, there are %d", p.summary.LikeCount, p.likes)
		}
		twin, ok := a.copies[id]
		if !ok {
			a.violation("copies equal projections", subject, "users has no copy")
			continue
		}
		a.checkCopy("users", twin, p.summary)
	}
	for _, id := range slices.Sorted(maps.Keys(a.copies)) {
		if p := a.posts[id]; p == nil || !p.present {
			a.violation("nothing is orphaned", "copy of post "+id+" in users", "there is no such post")
		}
	}
}

func (a *audit) checkCopy(where string, got, want domain.Summary) {
	if got != want {
		a.violation("copies equal projections", "post "+want.PostID, "%s has %s, the post gives %s",
			where, describe(got), describe(want))
	}
}

func describe(s domain.Summary) string {
	return fmt.Sprintf("{version %d, by %s (%s), title %q, text of %d bytes, %d comments, %d likes, %s}",
		s.Version, s.AuthorName, s.AuthorID, s.Title, len(s.Text), s.CommentCount, s.LikeCount,
		s.Created.Format(time.RFC3339Nano))
}

func (a *audit) checkFeed() {
	var newest []domain.Summary
	for _, p := range a.posts {
		if p.present {
			newest = append(newest, p.summary)
		}
	}
	slices.SortFunc(newest, domain.NewestFirst)
	newest = newest[:min(len(newest), domain.FeedLimit)]
	held := make(map[string]domain.Summary, len(a.feed))
	for _, s := range a.feed {
		if _, twice := held[s.PostID]; twice {
			a.violation("the feed is the newest posts", "post "+s.PostID, "is there twice")
		}
		held[s.PostID] = s
	}
	for _, want := range newest {
		if got, ok := held[want.PostID]; ok {
			a.checkCopy("feed", got, want)
			delete(held, want.PostID)
		} else {
			a.violation("the feed is the newest posts", "post "+want.PostID, "is missing")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(held)) {
		a.violation("the feed is the newest posts", "post "+id, "is none of them")
	}
}

// checkLeases takes a blog that never ran, which has no leases, as sound.
func (a *audit) checkLeases() {
	for _, processor := range slices.Sorted(maps.Keys(a.leases)) {
		ranges := a.leases[processor]
		slices.SortFunc(ranges, func(x, y domain.FeedRange) int { return cmp.Compare(x.MinInclusive, y.MinInclusive) })
		end := ""
		for _, r := range ranges {
			if r.MinInclusive != end {
				a.violation("leases tile the hash space", "processor "+processor, "from %q to %q", end, r.MinInclusive)
			}
			end = r.MaxExclusive
		}
		if end != "FF" {
			a.violation("leases tile the hash space", "processor "+processor, "they end at %q", end)
		}
	}
}

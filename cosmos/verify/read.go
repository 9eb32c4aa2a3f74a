package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// storedItem has the properties of all items that the rules are about. It is the checker's own reading of the
// items. The packages that write them have other types, which may have faults of their own.
type storedItem struct {
	ID                string `json:"id"`
	Type              string `json:"type"`
	UserID            string `json:"userId"`
	PostID            string `json:"postId"`
	OwnerID           string `json:"ownerId"`
	Username          string `json:"username"`
	Skeleton          string `json:"skeleton"`
	UserUsername      string `json:"userUsername"`
	DisplayName       string `json:"displayName"`
	UserDisplayName   string `json:"userDisplayName"`
	UserAvatar        string `json:"userAvatar"`
	Title             string `json:"title"`
	Content           string `json:"content"`
	NameVersion       int    `json:"nameVersion"`
	PropagatedVersion int    `json:"spreadVersion"`
	SessionVersion    int    `json:"sessionVersion"`
	CommentCount      int    `json:"commentCount"`
	LikeCount         int    `json:"likeCount"`
	Version           int    `json:"version"`
	Revision          int    `json:"revision"`
	CreationDate      date   `json:"creationDate"`
	EditDate          *date  `json:"editDate"`
	DeletionDate      *date  `json:"deletionDate"`
	Erased            bool   `json:"erased"`
	Refill            bool   `json:"refill"`
	TTL               int    `json:"ttl"`
	Name              string `json:"name"`
	Avatar            string `json:"avatar"`
	storedBlog
	storedRequests
	storedUsage
	storedNotices
	Bytes int64    `json:"bytes"`
	Kind  string   `json:"kind"`
	Path  string   `json:"path"`
	Paths []string `json:"paths"`
	To    string   `json:"to"`
	State string   `json:"state"`

	Details    storedDetails    `json:"details"`
	Slug       string           `json:"slug"`
	Tags       storedTags       `json:"tags"`
	Tag        string           `json:"tag"`
	Status     domain.Status    `json:"status"`
	FormerTags storedTags       `json:"formerTags"`
	Withdrawn  bool             `json:"withdrawn"`
	Mentions   []domain.Mention `json:"mentions"`

	// Properties of hidden items and of suspended users.
	Held            domain.Hold `json:"held"`
	AuthorSuspended bool        `json:"authorSuspended"`
	TrashedDate     *date       `json:"trashedDate"`
	CommentsClosed  bool        `json:"commentsClosed"`
	SuspensionDate  *date       `json:"suspensionDate"`
	storedFollows
	storedSubscriptions
	storedRow

	// Properties of comments and bookmarks.
	ParentID    string `json:"parentId"`
	ParentDate  *date  `json:"parentDate"`
	ReplyCount  int    `json:"replyCount"`
	Place       string `json:"place"`
	Bookmarked  string `json:"bookmarked"`
	AuthorID    string `json:"authorId"`
	PostDate    date   `json:"postDate"`
	PostVersion int    `json:"postVersion"`

	// Properties of credentials and e-mail addresses.
	Email         string `json:"email"`
	EmailVerified bool   `json:"emailVerified"`
	SinceDate     *date  `json:"sinceDate"`

	// Properties of drafts, preview links and the schedule.
	SavedDate   date   `json:"savedDate"`
	PublishDate *date  `json:"publishDate"`
	Publishing  bool   `json:"publishing"`
	Preview     string `json:"preview"`

	// Properties of reports and reviews.
	Queue       string           `json:"queue"`
	CommentID   string           `json:"commentId"`
	ReportCount int              `json:"reportCount"`
	Reports     []storedReporter `json:"reports"`
	Others      []string         `json:"others"`
	Decision    domain.Decision  `json:"decision"`
	DecidedBy   string           `json:"decidedBy"`
	Before      storedDecision   `json:"beforeHiding"`

	// Properties of roles, settings and invitations.
	Role           string                `json:"role"`
	Administration string                `json:"administration"`
	LeavingDate    *date                 `json:"leavingDate"`
	Continuation   *date                 `json:"continuationDate"`
	Administrators []storedAdministrator `json:"administrators"`
	Registration   string                `json:"registration"`
	NewRole        string                `json:"newRole"`
	NewDays        int                   `json:"newDays"`
	Site           siteinfo.Info         `json:"site"`
	Data           []byte                `json:"data"` // of a picture of the site
	Uses           int                   `json:"uses"`
	MaxUses        int                   `json:"maxUses"`
	CreatorID      string                `json:"creatorId"`

	// Properties of the list of static pages.
	Pages  []siteinfo.StaticPage `json:"pages"`
	Former []siteinfo.FormerPath `json:"former"`

	form  shortForm // the projection of a post
	shown string    // the state that the copies of its bookmarks must show
	row   uint64    // the digest of the row of a comment
}

// storedDecision is the decision about a target before it was hidden.
type storedDecision struct {
	DecidedBy string `json:"decidedBy"`
}

type storedReporter struct {
	UserID string `json:"userId"`
	Date   date   `json:"date"`
}

type storedAdministrator struct {
	UserID string `json:"userId"`
	Going  *date  `json:"goingDate"`
}

func (i storedItem) deleted() bool { return i.DeletionDate != nil }

// expires reports whether the item has a time to live.
func (i storedItem) expires() bool { return i.TTL > 0 }

// text reports whether the item holds a text by a user.
func (i storedItem) text() bool {
	return i.Title != "" || i.Content != "" || i.UserUsername+i.UserDisplayName+i.UserAvatar != "" || i.Slug != "" ||
		len(i.Tags)+len(i.FormerTags)+len(i.Mentions) > 0
}

// date is a stored instant. Only dates of this fixed width sort like times.
type date time.Time

func (d *date) UnmarshalText(text []byte) error {
	t, err := time.Parse(schema.InstantLayout, string(text))
	if err != nil {
		return fmt.Errorf("%q is not a date of the form %s", text, schema.InstantLayout)
	}
	*d = date(t)
	return nil
}

func (d *date) Time() time.Time {
	if d == nil {
		return time.Time{}
	}
	return time.Time(*d)
}

// The queries that read the containers. They have no filter, which makes them the cheapest by far: the service
// visits each item once, in storage order.
const (
	// The query leaves password hashes out. It must name each property that a rule is about.
	usersQuery = `SELECT c.id, c.type, c.userId, c.postId, c.ownerId, c.username, c.skeleton, c.displayName,
		c.userUsername, c.userDisplayName, c.userAvatar, c.title, c.content, c.slug, c.tags,
		c.nameVersion, c.spreadVersion, c.sessionVersion, c.commentCount, c.likeCount, c.version, c.revision, c.details,
		c.creationDate, c.editDate, c.deletionDate, c.erased, c.ttl, c.name, c.avatar, c.imageCount, c.imageBytes,
		c.draftCount, c.draftBytes, c.bytes, c.savedDate, c.publishDate, c.publishing, c.preview, c.paths,
		c.email, c.emailVerified, c.sinceDate, c.authorId, c.status, c.postDate, c.postVersion,
		c.suspensionDate, c.blockedId, c.followingCount, c.tag, c["count"], c.merged, c.kind,
		c.notificationCount, c.notificationsSeen, c.followerId, c.commentId, c.number, c.muteCount, c.muted,
		c.subscriptions, c.outdated, c.subscriberId, c.listKey, c.frequency, c.timeZone,
		c.role, c.administration, c.activeDay, c.leavingDate, c.administrators, c.blogTitle, c.header, c.pins FROM c`
	// Most items are comments and likes, for which few properties are needed.
	postsQuery = `SELECT VALUE (c.type IN ('post', 'page') ? c : {"id": c.id, "type": c.type, "postId": c.postId,
		"userId": c.userId, "userUsername": c.userUsername, "userDisplayName": c.userDisplayName,
		"userAvatar": c.userAvatar, "ttl": c.ttl, "revision": c.revision, "version": c.version,
		"creationDate": c.creationDate, "deletionDate": c.deletionDate, "parentId": c.parentId, "place": c.place,
		"parentDate": c.parentDate, "replyCount": c.replyCount, "held": c.held, "authorSuspended": c.authorSuspended,
		"content": c.content, "editDate": c.editDate, "mentions": c.mentions}) FROM c`
	wholeQuery       = `SELECT * FROM c`
	costsQuery       = `SELECT c.id, c.type, c.span, c.begin, c.instance, c.ttl FROM c`
	deadLettersQuery = `SELECT c.id, c.type, c.processor, c.partitionKey, c.itemId, c.error FROM c`
)

// reading is a decoded item, or the error of decoding it.
type reading[T any] struct {
	item T
	id   string // if err is set
	err  error
}

// readOptionalItems is readItems for a container that an early version of the program did not have. A database
// without the container has no such items.
func readOptionalItems[T any](ctx context.Context, a *audit, db *client.Database, container, query string,
	visit func(T)) error {
	err := readItems(ctx, a, db, container, query, nil, visit)
	if client.NoContainer(err) {
		return nil
	}
	return err
}

// readItems reads all items of a container, and calls visit for one item at a time. All processors decode and
// prepare items in parallel while the next page is under way. prepare may be nil. readItems reports an item that
// cannot be decoded as a violation, and goes on.
func readItems[T any](ctx context.Context, a *audit, db *client.Database, container, query string,
	prepare func(*T), visit func(T)) error {
	pages, read := make(chan [][]byte), make(chan []reading[T])
	var failed error
	go func() {
		defer close(pages)
		failed = client.EachPage(ctx, db.Container(container), azcosmos.NewPartitionKey(), query, nil, client.ScanPage,
			func(page [][]byte) error {
				pages <- page
				return nil
			})
	}()
	var preparing sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		preparing.Go(func() {
			for page := range pages {
				list := make([]reading[T], len(page))
				for i, body := range page {
					list[i] = decoded(body, prepare)
				}
				read <- list
			}
		})
	}
	go func() { preparing.Wait(); close(read) }()
	for list := range read {
		for _, r := range list {
			if a.items++; a.items%1000 == 0 {
				a.progress(a.items)
			}
			if r.err != nil {
				a.violation(ruleShapes, container+" item "+r.id, "%v", r.err)
				continue
			}
			visit(r.item)
		}
	}
	return failed
}

func decoded[T any](body []byte, prepare func(*T)) (r reading[T]) {
	if r.err = json.Unmarshal(body, &r.item); r.err != nil {
		var named struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(body, &named) // an item always has an id, which is a text
		r.id = named.ID
		return r
	}
	if prepare != nil {
		prepare(&r.item)
	}
	return r
}

package verify

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain/markdown"
)

// Counts holds the numbers of checked items, live users and live posts, and the number of violations.
type Counts struct{ Items, Users, Posts, Violations int }

// Verify reads every item and reports violations of the rules of the data model, which docs/data-model.md lists.
// progress receives the number of items read so far. Violations are reported in an order that depends on the data
// alone. Verify reports at most the first thousand violations of each rule, and then the number of further ones.
//
// Each of the named processors must have leases, unless the database is empty.
//
// The result is meaningful only after the workers have caught up, and while no user writes. Otherwise pending
// changes appear as violations. Verify holds a few numbers of each user and post in memory, but no text.
func Verify(ctx context.Context, db *client.Database, markdown *markdown.Renderer,
	progress func(items int), report func(Violation), processors ...string) (Counts, error) {
	a := &audit{
		markdown: markdown,
		progress: progress,
		now:      time.Now(),
		seed:     maphash.MakeSeed(),

		users:          make(map[string]*auditedUser),
		names:          make(map[string]auditedName),
		administrators: make(map[string]bool),
		emails:         make(map[string]auditedEmail),
		skeletons:      make(map[string]auditedName),
		posts:          make(map[string]*auditedPost),
		leases:         make(map[string][]feeds.Range),
		draftFacts:     newDraftFacts(),
		redirectFacts:  newRedirectFacts(),
		deliveryFacts:  newDeliveryFacts(),
		followFacts:    newFollowFacts(),
		mailFacts:      newMailFacts(),
		pages:          make(map[string]*auditedPage),
		waiting:        make(map[string]string),
		sitePictures:   make(map[string]bool),
		threads:        make(map[string]*auditedThread),
		bookmarks:      make(map[bookmarkKey]*auditedBookmark),
	}
	ctx = client.Reads("verify").In(ctx)
	// The users come first, since other items are checked against their authors.
	err := a.read(ctx, db, a.readUsers, a.readPosts, a.readFeed, a.readTags, a.readSchedule, a.readRedirects,
		a.readModeration, a.readCounters, a.readSessions, a.readDeliveries, a.readTimelines,
		a.readOverviews)
	if err != nil {
		return Counts{}, err
	}
	if a.items == 0 {
		processors = nil
	}
	if err := a.read(ctx, db, a.readLeases, a.readDeadLetters, a.readCosts); err != nil {
		return Counts{}, err
	}
	a.checkPosts() // before the users: it counts the items that they wrote
	a.checkThreads()
	a.checkBookmarks()
	a.checkWaiting()
	a.checkFeed()
	a.checkFollows()
	a.checkSubscriptions()
	a.checkUsers()
	a.checkAdministrators()
	a.checkDrafts()
	a.checkTrash()
	a.checkPages()
	a.checkNames()
	a.checkEmails()
	a.checkRedirects()
	a.checkLeases(processors)
	progress(a.items)
	return a.counts(report), nil
}

// read calls the functions that read the containers, one after another.
func (a *audit) read(ctx context.Context, db *client.Database,
	readers ...func(context.Context, *client.Database) error) error {
	for _, reader := range readers {
		if err := reader(ctx, db); err != nil {
			return client.Translate(err)
		}
	}
	return nil
}

// audit is the state of one run of Verify: everything that it has to remember of the items it has read.
type audit struct {
	markdown *markdown.Renderer
	progress func(int)
	now      time.Time
	seed     maphash.Seed
	items    int
	findings findings

	users          map[string]*auditedUser
	names          map[string]auditedName // by their keys
	skeletons      map[string]auditedName
	administrators map[string]bool         // the listed ones
	emails         map[string]auditedEmail // by their ids
	posts          map[string]*auditedPost
	feed           []auditedCopy
	// threads are the comments that have replies, by their ids.
	threads   map[string]*auditedThread
	bookmarks map[bookmarkKey]*auditedBookmark
	// waiting are the posts and comments that are held for review, by the ids of their targets.
	waiting map[string]string
	leases  map[string][]feeds.Range // by processor
	// sitePictures are the hashes of the site's pictures, with whether they expire. logos are those that the settings
	// name.
	sitePictures map[string]bool
	logos        []string
	draftFacts
	redirectFacts
	deliveryFacts
	followFacts
	mailFacts
	hasOverviews bool                    // the database has overviews, which earlier releases did not have
	pages        map[string]*auditedPage // the texts of static pages, by their ids
	notes        []Violation
}

// violation records a violation. The arguments must depend on the data alone, not on the order of reading.
func (a *audit) violation(r rule, subject, format string, args ...any) {
	a.findings.add(r, subject, format, args...)
}

func (a *audit) counts(report func(Violation)) Counts {
	c := Counts{Items: a.items, Violations: a.findings.report(report)}
	slices.SortFunc(a.notes, func(x, y Violation) int { return cmp.Compare(x.Subject, y.Subject) })
	for _, note := range a.notes {
		report(note)
	}
	for _, u := range a.users {
		if u.present && !u.deleted {
			c.Users++
		}
	}
	for _, p := range a.posts {
		if p.live() {
			c.Posts++
		}
	}
	return c
}

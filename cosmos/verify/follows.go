package verify

import (
	"context"
	"hash/maphash"
	"strings"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// storedFollows has the properties of blocks and follows that the rules are about, and of users and posts that are
// followed.
type storedFollows struct {
	BlockedID      string `json:"blockedId"`
	FollowingCount int    `json:"followingCount"`
	Count          int    `json:"count"`
	Merged         bool   `json:"merged"`
	// Properties of posts.
	News     bool  `json:"news"`
	NewsDate *date `json:"newsDate"`
}

// pair is two users, or a user and the key of what the user follows.
type pair struct{ user, other string }

// auditedFollow is what was read about a follow.
type auditedFollow struct {
	live, copied bool
	version      int       // of the follow
	copyVersion  int       // of the copy with the source
	since        time.Time // when it began
	merged       bool      // the timeline has the source as a merged one
}

// auditedSource is what was read about an author or a tag that users follow.
type auditedSource struct {
	counted, followers int
	merged             bool
}

// followFacts are what was read about follows and timelines.
type followFacts struct {
	follows   map[pair]*auditedFollow
	sources   map[string]*auditedSource
	blocked   map[pair]bool
	following map[string]int  // the number of follows, as the user items say
	entries   map[uint64]bool // digests of readers and posts of authors whom they follow
	timelines map[string]*auditedTimeline
	left      map[string]bool // users who have ceased to follow something
	news      []auditedNews
}

// auditedTimeline is what was read about the timeline of a user.
type auditedTimeline struct {
	entries int
	oldest  time.Time
}

// auditedNews is a post of which the followers of its author were told.
type auditedNews struct {
	postID, authorID string
	at, created      time.Time
}

func newFollowFacts() followFacts {
	return followFacts{follows: make(map[pair]*auditedFollow), sources: make(map[string]*auditedSource),
		blocked: make(map[pair]bool), following: make(map[string]int), entries: make(map[uint64]bool),
		timelines: make(map[string]*auditedTimeline), left: make(map[string]bool)}
}

func (f *followFacts) timeline(user string) *auditedTimeline { return entryOf(f.timelines, user) }

func (f *followFacts) follow(user, source string) *auditedFollow {
	return entryOf(f.follows, pair{user, source})
}

func (f *followFacts) source(key string) *auditedSource { return entryOf(f.sources, key) }

// entryDigest identifies an entry of a timeline in few bytes, because there may be thousands for each reader.
func (a *audit) entryDigest(user, postID string) uint64 {
	return maphash.String(a.seed, user+" "+postID)
}

// noteBlock checks that a user blocks another user. The blocked user's account may be deleted since.
func (a *audit) noteBlock(subject string, i storedItem) {
	switch {
	case i.ID != schema.BlockID(i.BlockedID):
		a.violation(ruleIDs, subject, "its id should be %s", schema.BlockID(i.BlockedID))
	case i.UserID == i.BlockedID || !domain.IsUserID(i.BlockedID):
		a.violation(ruleShapes, subject, "user %q cannot be blocked", i.BlockedID)
	}
	a.checkStays(subject, i)
	a.blocked[pair{i.UserID, i.BlockedID}] = true
	a.user(i.UserID).blocks++
}

// noteFollow records a follow, or one that has ended, in the follower's partition.
func (a *audit) noteFollow(subject string, i storedItem) {
	source := domain.Source{AuthorID: i.AuthorID, Tag: i.Tag}
	ended := i.Type == schema.TypeDeletedFollow
	switch {
	case !source.Valid() || i.AuthorID == i.UserID:
		a.violation(ruleShapes, subject, "%+v cannot be followed", source)
		return
	case i.ID != "follow."+source.Key():
		a.violation(ruleIDs, subject, "its id should be follow.%s", source.Key())
	case ended != i.deleted() || ended != i.expires():
		a.violation(ruleFollows, subject, "deleted %t, expires %t", i.deleted(), i.expires())
	}
	a.left[i.UserID] = a.left[i.UserID] || ended
	f := a.follow(i.UserID, source.Key())
	f.live, f.version, f.since = !ended, i.Version, time.Time(i.CreationDate)
}

// noteFollower records the copy of a follow with its source.
func (a *audit) noteFollower(subject string, i storedItem) {
	key, ok := strings.CutPrefix(i.UserID, "followers.")
	ended := i.Type == schema.TypeDeletedFollower
	switch {
	case !ok || !domain.IsUserID(i.ID):
		a.violation(ruleIDs, subject, "it is in the partition %q", i.UserID)
		return
	case ended != i.deleted() || ended != i.expires():
		a.violation(ruleFollows, subject, "deleted %t, expires %t", i.deleted(), i.expires())
	case !ended:
		f := a.follow(i.ID, key)
		f.copied, f.copyVersion = true, i.Version
		a.source(key).followers++
	}
}

// noteMark checks the item that is written before followers or subscribers are read.
func (a *audit) noteMark(subject string, i storedItem) {
	if !strings.HasPrefix(i.UserID, "followers.") && !strings.HasPrefix(i.UserID, "subscribers.") || !i.expires() {
		a.violation(ruleFollows, subject, "expires %t", i.expires())
	}
}

// noteFollowers records the number of followers of a source.
func (a *audit) noteFollowers(subject string, i storedItem) {
	key, ok := strings.CutPrefix(i.UserID, "followers.")
	if !ok || i.ID != schema.FollowersID {
		a.violation(ruleIDs, subject, "it is in the partition %q", i.UserID)
		return
	}
	s := a.source(key)
	s.counted, s.merged = i.Count, i.Merged
}

const timelinesQuery = `SELECT c.id, c.type, c.userId, c.authorId, c.tag, c.postId, c.place, c.ttl FROM c`

// readTimelines reads the timelines. It runs after users and posts were read. A database from before the timelines has
// no such container.
func (a *audit) readTimelines(ctx context.Context, db *client.Database) error {
	return readOptionalItems(ctx, a, db, schema.TimelinesContainer, timelinesQuery, func(i storedItem) {
		subject := "timelines item " + i.ID + " of " + i.UserID
		source := domain.Source{AuthorID: i.AuthorID, Tag: i.Tag}
		if i.Tag != "" {
			source.AuthorID = ""
		}
		key := source.Key()
		switch u := a.users[i.UserID]; {
		case i.Type == schema.TypeMark && i.expires():
			return
		case i.Type != schema.TypeEntry && i.Type != schema.TypeMerged:
			a.violation(ruleTypes, subject, "type %q", i.Type)
			return
		case u == nil || !u.live():
			a.violation(ruleTimelines, subject, "there is no user %s", i.UserID)
			return
		case a.follows[pair{i.UserID, key}] == nil || !a.follows[pair{i.UserID, key}].live:
			a.violation(ruleTimelines, subject, "the user does not follow %s", key)
			return
		}
		if i.Type == schema.TypeMerged {
			if i.ID != "merged."+key || i.Place != "~"+key {
				a.violation(ruleIDs, subject, "it is for %s at %q", key, i.Place)
			}
			a.checkStays(subject, i)
			a.follows[pair{i.UserID, key}].merged = true
			return
		}
		id := i.PostID
		if i.Tag != "" {
			id += "." + key
		} else {
			a.entries[a.entryDigest(i.UserID, i.PostID)] = true
		}
		date, place, _ := strings.Cut(i.Place, "~")
		at, err := time.Parse(schema.InstantLayout, date)
		t := a.timeline(i.UserID)
		if t.entries++; t.entries == 1 || at.Before(t.oldest) {
			t.oldest = at
		}
		switch {
		case i.ID != id || place != i.PostID || err != nil:
			a.violation(ruleIDs, subject, "it is for %s at %q", i.PostID, i.Place)
		case !i.expires():
			a.violation(ruleTimelines, subject, "it has no time to live")
		}
	})
}

// checkFollows checks follows against their copies, counts and timelines.
func (a *audit) checkFollows() {
	following := make(map[string]int)
	for p, f := range a.follows {
		subject := "follow of " + p.other + " by " + p.user
		switch {
		case f.live != f.copied || f.live && f.version != f.copyVersion:
			a.violation(ruleFollows, subject, "live %t in version %d, with a copy: %t in version %d", f.live, f.version,
				f.copied, f.copyVersion)
		case !f.live:
			continue
		case a.blocked[p] || a.blocked[pair{p.other, p.user}]:
			a.violation(ruleFollows, subject, "one has blocked the other")
		case domain.IsUserID(p.other) && (a.users[p.other] == nil || !a.users[p.other].live()):
			a.violation(ruleFollows, subject, "there is no user %s", p.other)
		case a.users[p.user] == nil || !a.users[p.user].live():
			a.violation(ruleFollows, subject, "there is no user %s", p.user)
		case f.merged != a.source(p.other).merged:
			a.violation(ruleTimelines, subject, "merged in the timeline: %t, at the source: %t", f.merged,
				a.source(p.other).merged)
		}
		if f.live {
			following[p.user]++
		}
	}
	for id, u := range a.users {
		if u.live() && following[id] != a.following[id] {
			a.violation(ruleCounts, "user "+id, "followingCount %d, but %d follows", a.following[id], following[id])
		}
	}
	for key, s := range a.sources {
		if s.counted != s.followers {
			a.violation(ruleCounts, "followers of "+key, "count %d, but %d followers", s.counted, s.followers)
		}
	}
	a.checkNews()
}

// noteNews records whether the followers of the author of a live post were told of it.
func (a *audit) noteNews(subject string, i storedItem) {
	if i.News && i.form.listed() {
		a.violation(ruleTimelines, subject, "its followers have not been told of it")
	}
	if i.NewsDate != nil && !i.deleted() && a.now.Before(time.Time(i.CreationDate).Add(domain.MarkerTime-time.Hour)) {
		a.news = append(a.news, auditedNews{i.PostID, i.UserID, i.NewsDate.Time(), time.Time(i.CreationDate)})
	}
}

// checkNews checks that posts are in the timelines of those who followed their authors when they were published.
// Trimmed timelines may lack the oldest ones, also if they have become shorter since, because the user has ceased to
// follow something. As that is known for domain.MarkerTime, older posts are not checked.
func (a *audit) checkNews() {
	byAuthor := make(map[string][]auditedNews)
	for _, n := range a.news {
		if s := a.sources[n.authorID]; s != nil && !s.merged && !a.waitingNews[n.postID+"."+n.authorID] {
			byAuthor[n.authorID] = append(byAuthor[n.authorID], n)
		}
	}
	for p, f := range a.follows {
		for _, n := range byAuthor[p.other] {
			t := a.timeline(p.user)
			trimmed := t.entries >= domain.MaxTimeline ||
				a.left[p.user] && (t.entries == 0 || n.created.Before(t.oldest))
			if f.live && f.since.Before(n.at) && !a.entries[a.entryDigest(p.user, n.postID)] && !trimmed {
				a.violation(ruleTimelines, "timeline of "+p.user, "the post %s by %s is missing", n.postID, p.other)
			}
		}
	}
}

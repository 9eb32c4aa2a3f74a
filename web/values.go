package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/dependency"
)

type readsKeptKey struct{}

// readsKept tells whether what is read under the context may come from the cache.
func readsKept(ctx context.Context) bool { return ctx.Value(readsKeptKey{}) != nil }

// remember lets handlers read through the cache. A request that changes something bypasses the
// cache, and so does a browser that has just changed something: see recentWrites.
func (s *site) remember(cache *Cache, writes recentWrites) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if cache == nil {
				return next(c)
			}
			if r.Method != http.MethodGet && r.Method != http.MethodHead {
				c.Response().Before(func() { writes.mark(c) })
				return next(c)
			}
			if cache.trusted(time.Now()) && !asksAnew(r.Context()) && !writes.bypassCache(r, clientOf(r)) {
				c.SetRequest(r.WithContext(context.WithValue(r.Context(), readsKeptKey{}, true)))
			}
			return next(c)
		}
	}
}

// keptRead is what was read, or that there is no such thing.
type keptRead[T any] struct {
	value T
	err   error
}

// read reads through the cache what a name stands for, of which only those aspects matter. The
// weight of what was read is that of its texts.
func read[T any](ctx context.Context, c *Cache, name string, aspects dependency.Facets, weight func(T) int,
	load func(context.Context) (T, error)) (T, error) {
	if !readsKept(ctx) {
		return load(dependency.WithFacets(ctx, aspects))
	}
	key := cacheKey{kind: keptValue, name: name}
	k, ok := c.get(key, time.Now())
	if !ok {
		k = c.fill(key, func() (*kept, bool) {
			// However many wait, and whoever of them goes away, it is read once.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fillTime)
			defer cancel()
			var parts dependency.Recorder
			var r keptRead[T]
			r.value, r.err = load(dependency.WithFacets(dependency.WithRecorder(ctx, &parts), aspects))
			made := &kept{value: r, weight: uint32(keptOverhead + weight(r.value)), parts: parts.Recorded(), again: rereading(load)}
			return made, r.err == nil || domain.Is(r.err, domain.NotFound)
		}).kept
	}
	for part, of := range k.parts {
		dependency.Record(ctx, part, of)
	}
	r := k.value.(keptRead[T])
	return r.value, r.err
}

// What lists and pages show: of the one they care for what is said and counted, of the other
// also for who says it.
const (
	aspectsOfLists = dependency.FacetTexts | dependency.FacetCounts
	aspectsOfUsers = dependency.FacetAccount
)

// remembering is the configuration with what pages read going through the cache, if there is
// one.
func (c Config) remembering() Config {
	if c.Cache != nil {
		c.Users, c.Posts = rememberedUsers{c.Users, c.Cache}, rememberedPosts{c.Posts, c.Cache}
		c.Feed, c.Tags = rememberedFeed{c.Feed, c.Cache}, rememberedTags{c.Tags, c.Cache}
	}
	return c
}

// rememberedUsers reads users through the cache.
type rememberedUsers struct {
	Users
	cache *Cache
}

func (u rememberedUsers) ByID(ctx context.Context, userID string) (domain.User, error) {
	return read(ctx, u.cache, "user "+userID, aspectsOfUsers, weighUser,
		func(ctx context.Context) (domain.User, error) { return u.Users.ByID(ctx, userID) })
}

func (u rememberedUsers) ByName(ctx context.Context, username string) (domain.User, error) {
	return read(ctx, u.cache, "username "+username, aspectsOfUsers, weighUser,
		func(ctx context.Context) (domain.User, error) { return u.Users.ByName(ctx, username) })
}

func (u rememberedUsers) PostsOf(ctx context.Context, userID string, page int) (domain.Page[domain.Summary], error) {
	return readList(ctx, u.cache, "posts of "+userID+" "+strconv.Itoa(page), aspectsOfLists, weighSummary,
		func(ctx context.Context) (domain.Page[domain.Summary], error) {
			return u.Users.PostsOf(ctx, userID, page)
		})
}

type neighbours struct{ previous, next *domain.Summary }

func (u rememberedUsers) Neighbours(ctx context.Context, post domain.Post) (previous, next *domain.Summary, err error) {
	post.Content = "" // which is nothing to them, and would be kept with them
	name := "neighbours of " + post.ID + " " + strconv.FormatInt(post.Created.UnixMilli(), 10)
	found, err := read(ctx, u.cache, name, dependency.FacetTexts, func(neighbours) int { return 2 * keptOverhead },
		func(ctx context.Context) (n neighbours, err error) {
			n.previous, n.next, err = u.Users.Neighbours(ctx, post)
			return n, err
		})
	return found.previous, found.next, err
}

func weighUser(u domain.User) int { return len(u.Bio) + len(u.DisplayName) }

func weighSummary(s domain.Summary) int { return len(s.Title) + len(s.Text) + 512 }

// readList is read for lists, of which each reader gets one of their own.
func readList[T any](ctx context.Context, c *Cache, name string, aspects dependency.Facets, weight func(T) int,
	load func(context.Context) (domain.Page[T], error)) (domain.Page[T], error) {
	page, err := read(ctx, c, name, aspects, func(p domain.Page[T]) int { return weighAll(p.Items, weight) }, load)
	page.Items = slices.Clone(page.Items)
	return page, err
}

func weighAll[T any](items []T, weight func(T) int) (all int) {
	for _, item := range items {
		all += weight(item)
	}
	return all
}

// rememberedPosts reads posts through the cache.
type rememberedPosts struct {
	Posts
	cache *Cache
}

func (p rememberedPosts) Get(ctx context.Context, postID string) (domain.Post, error) {
	return read(ctx, p.cache, "post "+postID, aspectsOfLists, func(p domain.Post) int { return len(p.Content) + len(p.Title) },
		func(ctx context.Context) (domain.Post, error) { return p.Posts.Get(ctx, postID) })
}

func (p rememberedPosts) Comments(ctx context.Context, postID string, page int) (domain.Page[domain.Comment], error) {
	return readList(ctx, p.cache, "comments on "+postID+" "+strconv.Itoa(page), dependency.FacetComments,
		func(c domain.Comment) int { return len(c.Content) + 512 },
		func(ctx context.Context) (domain.Page[domain.Comment], error) {
			return p.Posts.Comments(ctx, postID, page)
		})
}

func (p rememberedPosts) Liked(ctx context.Context, postID, userID string) (bool, error) {
	return read(ctx, p.cache, "like "+postID+" "+userID, dependency.FacetReactions|dependency.FacetCounts, weightless,
		func(ctx context.Context) (bool, error) { return p.Posts.Liked(ctx, postID, userID) })
}

func (p rememberedPosts) Bookmarked(ctx context.Context, postID, userID string) (bool, error) {
	return read(ctx, p.cache, "bookmark "+postID+" "+userID, dependency.FacetReactions, weightless,
		func(ctx context.Context) (bool, error) {
			// That it was taken back shows by the tombstone in the reader's list only.
			dependency.Record(ctx, dependency.PartitionRef{Container: "users", Key: userID}, dependency.FacetReactions)
			return p.Posts.Bookmarked(ctx, postID, userID)
		})
}

func weightless(bool) int { return 0 }

// rememberedFeed reads the front page through the cache.
type rememberedFeed struct {
	Feed
	cache *Cache
}

func (f rememberedFeed) FrontPage(ctx context.Context, page int) (domain.Page[domain.Summary], error) {
	return readList(ctx, f.cache, "front page "+strconv.Itoa(page), aspectsOfLists, weighSummary,
		func(ctx context.Context) (domain.Page[domain.Summary], error) { return f.Feed.FrontPage(ctx, page) })
}

// rememberedTags reads tags through the cache.
type rememberedTags struct {
	Tags
	cache *Cache
}

func (t rememberedTags) PostsOf(ctx context.Context, key string, page int) (domain.Page[domain.Summary], error) {
	return readList(ctx, t.cache, "tag "+strconv.Itoa(page)+" "+key, aspectsOfLists, weighSummary,
		func(ctx context.Context) (domain.Page[domain.Summary], error) { return t.Tags.PostsOf(ctx, key, page) })
}

func (t rememberedTags) Related(ctx context.Context, post domain.Post) ([]domain.Summary, error) {
	post.Content = "" // as in Neighbours
	related, err := read(ctx, t.cache, "related to "+post.ID+" "+strings.Join(post.Tags.Keys(), " "), dependency.FacetTexts,
		func(all []domain.Summary) int { return weighAll(all, weighSummary) },
		func(ctx context.Context) ([]domain.Summary, error) { return t.Tags.Related(ctx, post) })
	return slices.Clone(related), err
}

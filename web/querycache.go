package web

import (
	"context"
	"errors"
	"strconv"

	"inkfeed/cosmos/dependency"
	"inkfeed/domain"
	"inkfeed/web/pagecache"
	"inkfeed/web/reading"
	"inkfeed/web/site"
)

// cached returns the configuration with stores that read what pages show through the query cache, if there is a cache.
func (c Config) cached() Config {
	if c.Cache != nil {
		c.Users, c.Posts = cachedUsers{c.Users, c.Cache}, cachedPosts{c.Posts, c.Cache}
		c.UserCopies, c.Blocks = cachedUserCopies{c.UserCopies, c.Cache}, cachedBlocks{c.Blocks, c.Cache}
		c.Mutes = cachedMutes{c.Mutes, c.Cache}
		c.Feed, c.Tags = cachedFeed{c.Feed, c.Cache}, cachedTags{c.Tags, c.Cache}
		c.Follows = cachedFollows{c.Follows, c.Cache}
	}
	return c
}

// routesThatReadCache returns the routes of likes, comments and previews. For them the cache answers who the user is,
// who wrote the post, whom that user has blocked, and whom a text mentions. What it answers may be as old as the state
// of a session that ended on another server, and the transaction itself requires that the post is open. A name that is
// outdated is corrected by the projector.
func routesThatReadCache() []string {
	return []string{"/posts/:id/like", "/posts/:id/unlike", "/posts/:id/comments", "/preview"}
}

// cachedUsers reads users through the query cache.
type cachedUsers struct {
	Users
	cache *pagecache.Cache
}

func (u cachedUsers) ByID(ctx context.Context, userID string) (domain.User, error) {
	return pagecache.Read(ctx, u.cache, "user "+userID, pagecache.FacetsOfUsers, weighUser,
		func(ctx context.Context) (domain.User, error) { return u.Users.ByID(ctx, userID) })
}

func (u cachedUsers) ByName(ctx context.Context, username string) (domain.User, error) {
	return pagecache.Read(ctx, u.cache, "username "+username, pagecache.FacetsOfUsers, weighUser,
		func(ctx context.Context) (domain.User, error) { return u.Users.ByName(ctx, username) })
}

// countWaiting returns the function that counts what waits for moderators, with one query for each queue. All
// moderators share the result, which the cache keeps until this process writes to a queue, and at most for a second.
func (c Config) countWaiting() func(context.Context) (domain.Waiting, error) {
	count := func(ctx context.Context) (w domain.Waiting, err error) {
		if w.Reports, err = c.Reports.CountOpen(ctx, domain.MaxCountedWaiting); err == nil {
			w.Reviews, err = c.Reviews.Count(ctx, domain.MaxCountedWaiting)
		}
		return w, err
	}
	if c.Cache == nil {
		return count
	}
	return func(ctx context.Context) (domain.Waiting, error) {
		return pagecache.Read(ctx, c.Cache, "waiting for moderators", dependency.AllFacets,
			func(domain.Waiting) int { return 0 }, count)
	}
}

// cachedUserCopies reads the lists of users' posts through the query cache.
type cachedUserCopies struct {
	UserCopies
	cache *pagecache.Cache
}

func (u cachedUserCopies) PostsOf(ctx context.Context, userID string, page int) (
	domain.ListPage[domain.Summary], error) {
	return pagecache.ReadList(ctx, u.cache, "posts of "+userID+" "+strconv.Itoa(page), pagecache.FacetsOfLists,
		weighSummary,
		func(ctx context.Context) (domain.ListPage[domain.Summary], error) {
			return u.UserCopies.PostsOf(ctx, userID, page)
		})
}

type neighbours struct{ previous, next *domain.Summary }

func (u cachedUserCopies) Neighbours(ctx context.Context, post domain.Post) (previous, next *domain.Summary,
	err error) {
	post.Content = "" // the query does not need it, and the closure would keep it in memory
	name := "neighbours of " + post.ID + " " + strconv.FormatInt(post.Created.UnixMilli(), 10)
	found, err := pagecache.Read(ctx, u.cache, name, dependency.FacetTexts,
		func(neighbours) int { return 2 * pagecache.EntryOverhead },
		func(ctx context.Context) (n neighbours, err error) {
			n.previous, n.next, err = u.UserCopies.Neighbours(ctx, post)
			return n, err
		})
	return found.previous, found.next, err
}

// cachedBlocks reads blocks through the query cache.
type cachedBlocks struct {
	Blocks
	cache *pagecache.Cache
}

// Has caches only that a user has not blocked another. The end of a block does not appear in the change feed.
func (b cachedBlocks) Has(ctx context.Context, userID, otherID string) (bool, error) {
	_, err := pagecache.Read(ctx, b.cache, "block "+userID+" "+otherID, dependency.FacetBlocks, weighNothing,
		func(ctx context.Context) (bool, error) {
			blocked, err := b.Blocks.Has(ctx, userID, otherID)
			if err == nil && blocked {
				err = errBlocked
			}
			return false, err
		})
	if errors.Is(err, errBlocked) {
		return true, nil
	}
	return false, err
}

var errBlocked = errors.New("web: the user has blocked the other one")

// cachedMutes reads mutes through the query cache.
type cachedMutes struct {
	reading.Mutes
	cache *pagecache.Cache
}

func (m cachedMutes) Of(ctx context.Context, userID string) (domain.Mutes, error) {
	return pagecache.Read(ctx, m.cache, "mutes "+userID, dependency.FacetMutes,
		func(all domain.Mutes) int { return 100 * len(all) },
		func(ctx context.Context) (domain.Mutes, error) { return m.Mutes.Of(ctx, userID) })
}

func weighUser(u domain.User) int {
	weight := len(u.Bio) + len(u.DisplayName) + len(u.BlogTitle)
	for _, l := range u.Links {
		weight += len(l.Label) + len(l.Address)
	}
	return weight
}

func weighSummary(s domain.Summary) int { return len(s.Title) + len(s.Text) + 512 }

// cachedPosts reads posts through the query cache.
type cachedPosts struct {
	Posts
	cache *pagecache.Cache
}

// Get depends on the reactions, too, since the first bookmark changes the post. Pages for anonymous visitors do not
// show bookmarks, so they do not depend on them.
func (p cachedPosts) Get(ctx context.Context, postID string) (domain.Post, error) {
	if c := site.CacheabilityOf(ctx); c != nil && c.Shell == nil {
		ctx = dependency.WithFacets(ctx, pagecache.FacetsOfLists)
	}
	return pagecache.Read(ctx, p.cache, "post "+postID, pagecache.FacetsOfLists|dependency.FacetReactions,
		func(p domain.Post) int { return len(p.Content) + len(p.Mentions) + len(p.Title) },
		func(ctx context.Context) (domain.Post, error) { return p.Posts.Get(ctx, postID) })
}

// Author depends on neither reactions nor counts, unlike Get, so the responses to a post do not make it read again.
func (p cachedPosts) Author(ctx context.Context, postID string) (domain.User, error) {
	return pagecache.Read(ctx, p.cache, "author of post "+postID, dependency.FacetTexts, weighUser,
		func(ctx context.Context) (domain.User, error) { return p.Posts.Author(ctx, postID) })
}

func (p cachedPosts) Comments(ctx context.Context, postID string, page int) (domain.ListPage[domain.Comment], error) {
	return pagecache.ReadList(ctx, p.cache, "comments on "+postID+" "+strconv.Itoa(page), dependency.FacetComments,
		func(c domain.Comment) int { return len(c.Content) + len(c.Mentions) + 512 },
		func(ctx context.Context) (domain.ListPage[domain.Comment], error) {
			return p.Posts.Comments(ctx, postID, page)
		})
}

func (p cachedPosts) Liked(ctx context.Context, postID, userID string) (bool, error) {
	return pagecache.Read(ctx, p.cache, "like "+postID+" "+userID, dependency.FacetReactions|dependency.FacetCounts,
		weighNothing,
		func(ctx context.Context) (bool, error) { return p.Posts.Liked(ctx, postID, userID) })
}

func (p cachedPosts) Bookmarked(ctx context.Context, postID, userID string) (bool, error) {
	return pagecache.Read(ctx, p.cache, "bookmark "+postID+" "+userID, dependency.FacetReactions, weighNothing,
		func(ctx context.Context) (bool, error) {
			// A deleted bookmark appears in the change feed only as a tombstone in its user's partition.
			dependency.Record(ctx, dependency.PartitionRef{Container: "users", Key: userID}, dependency.FacetReactions)
			return p.Posts.Bookmarked(ctx, postID, userID)
		})
}

func weighNothing(bool) int { return 0 }

// cachedFeed reads the front page through the query cache.
type cachedFeed struct {
	reading.Feed
	cache *pagecache.Cache
}

func (f cachedFeed) FrontPage(ctx context.Context, page int) (domain.ListPage[domain.Summary], error) {
	return pagecache.ReadList(ctx, f.cache, "front page "+strconv.Itoa(page), pagecache.FacetsOfLists, weighSummary,
		func(ctx context.Context) (domain.ListPage[domain.Summary], error) { return f.Feed.FrontPage(ctx, page) })
}

// cachedTags reads tags through the query cache.
type cachedTags struct {
	Tags
	cache *pagecache.Cache
}

func (t cachedTags) PostsOf(ctx context.Context, key string, page int) (domain.ListPage[domain.Summary], error) {
	return pagecache.ReadList(ctx, t.cache, "tag "+strconv.Itoa(page)+" "+key, pagecache.FacetsOfLists, weighSummary,
		func(ctx context.Context) (domain.ListPage[domain.Summary], error) {
			return t.Tags.PostsOf(ctx, key, page)
		})
}

// Newest returns a list that callers must not change, because all pages of posts with the tag share it.
func (t cachedTags) Newest(ctx context.Context, key string) ([]domain.Summary, error) {
	return pagecache.Read(ctx, t.cache, "newest of tag "+key, dependency.FacetTexts,
		func(all []domain.Summary) int { return pagecache.WeighAll(all, weighSummary) },
		func(ctx context.Context) ([]domain.Summary, error) { return t.Tags.Newest(ctx, key) })
}

// PostsAfter caches the beginning of the list, which all followers of a merged source share.
func (t cachedTags) PostsAfter(ctx context.Context, key string, after domain.Place, limit int) ([]domain.Summary,
	error) {
	load := func(ctx context.Context) ([]domain.Summary, error) { return t.Tags.PostsAfter(ctx, key, after, limit) }
	return readNewest(ctx, t.cache, "after tag "+key, after, limit, load)
}

// PostsAfter caches the beginning of the list, like that of cachedTags.
func (u cachedUserCopies) PostsAfter(ctx context.Context, userID string, after domain.Place, limit int) (
	[]domain.Summary, error) {
	return readNewest(ctx, u.cache, "after "+userID, after, limit, func(ctx context.Context) ([]domain.Summary, error) {
		return u.UserCopies.PostsAfter(ctx, userID, after, limit)
	})
}

// readNewest reads a list of posts after a place, from the cache if that is the beginning.
func readNewest(ctx context.Context, c *pagecache.Cache, name string, after domain.Place, limit int,
	load func(context.Context) ([]domain.Summary, error)) ([]domain.Summary, error) {
	if after != "" {
		return load(ctx)
	}
	return pagecache.Read(ctx, c, name+" "+strconv.Itoa(limit), pagecache.FacetsOfLists,
		func(all []domain.Summary) int { return pagecache.WeighAll(all, weighSummary) }, load)
}

// cachedFollows reads follows through the query cache.
type cachedFollows struct {
	Follows
	cache *pagecache.Cache
}

// Has caches both answers, because the end of a follow appears in the change feed as a marker.
func (f cachedFollows) Has(ctx context.Context, userID string, source domain.Source) (bool, error) {
	return pagecache.Read(ctx, f.cache, "follow "+userID+" "+source.Key(), dependency.FacetFollows, weighNothing,
		func(ctx context.Context) (bool, error) { return f.Follows.Has(ctx, userID, source) })
}

func (f cachedFollows) Followers(ctx context.Context, source domain.Source) (domain.Followers, error) {
	return pagecache.Read(ctx, f.cache, "followers of "+source.Key(), dependency.FacetFollows,
		func(domain.Followers) int { return 0 },
		func(ctx context.Context) (domain.Followers, error) { return f.Follows.Followers(ctx, source) })
}

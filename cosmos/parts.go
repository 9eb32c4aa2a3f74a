package cosmos

import (
	"hash/fnv"
	"time"

	"inkfeed/domain/dependency"
)

// PartChanges are the change feeds of what pages are made of, by their containers: which
// partitions change, and in what respect, from a time on, see Since. What is never on a page is
// left out.
func (s *Store) PartChanges(since time.Time) map[string]*ChangeFeed[dependency.Change] {
	feeds := make(map[string]*ChangeFeed[dependency.Change])
	for name, feed := range map[string]*ChangeFeed[dependency.Change]{
		usersContainer: {c: s.Users.c, partition: byUserID},
		postsContainer: {c: s.Posts.c, partition: byPostID},
		feedContainer:  {c: s.Feed.c, partition: byType},
		tagsContainer:  {c: s.Tags.c, partition: byTag},
	} {
		feed.name, feed.decode = "pages-"+name, decodePartChange
		feeds[name] = feed.Since(since)
	}
	return feeds
}

// decodePartChange goes by the types of items. One that is not known here may change
// anything, and so may one that is not of its shape.
func decodePartChange(head changeHead, body []byte) (change dependency.Change, relevant bool, err error) {
	switch head.Type {
	case typeDraft, typePreview, typeVersion, typeImage, typeAvatar, typeImport, typeCredentials, typeEmail, typeBlock:
		return change, false, nil // only their user's pages show them, which nobody keeps
	case typeUser, typeUsername, typeSkeleton:
		change.Facets = dependency.FacetAccount
	case typeBookmark, typeDeletedBookmark, typeLike:
		change.Facets = dependency.FacetReactions
	case typeComment:
		change.Facets = dependency.FacetComments
	case typePost, typeDeletedPost, typeUnlistedPost, typeUnpublishedPost, typeHiddenPost:
		// Of a comment that was deleted only the post tells.
		change.Facets = dependency.FacetTexts | dependency.FacetCounts | dependency.FacetComments | dependency.FacetReactions
		change.Counts = countedOf(body)
	default:
		change.Facets = dependency.AllFacets
	}
	return change, true, nil
}

// countedOf is nil of what is not of its shape.
func countedOf(body []byte) *dependency.Counts {
	var post postItem
	var copied summaryItem
	if decode(body, &post) != nil || decode(body, &copied) != nil {
		return nil
	}
	counted := &dependency.Counts{Version: post.Version, Comments: post.CommentCount, Likes: post.LikeCount}
	post.CommentCount, post.LikeCount, post.Version = 0, 0, 0
	copied.CommentCount, copied.LikeCount, copied.Version, copied.ETag = 0, 0, 0, ""
	sum := fnv.New64a()
	_, _ = sum.Write(encode(post)) // a hash does not fail
	_, _ = sum.Write(encode(copied))
	counted.Rest = sum.Sum64()
	return counted
}

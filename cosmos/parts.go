package cosmos

import (
	"hash/fnv"
	"time"

	"inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain/dependency"
)

// PartChanges are the change feeds of what pages are made of, by their containers: which
// partitions change, and in what respect, from a time on, see Since. What is never on a page is
// left out.
func (s *Store) PartChanges(since time.Time) map[string]*changefeed.ChangeFeed[dependency.Change] {
	feeds := make(map[string]*changefeed.ChangeFeed[dependency.Change])
	for name, partition := range map[string]func(changefeed.Head) string{
		schema.UsersContainer: changefeed.ByUserID, schema.PostsContainer: changefeed.ByPostID, schema.FeedContainer: changefeed.ByType, schema.TagsContainer: changefeed.ByTag,
	} {
		feeds[name] = changefeed.New(s.Container(name), "pages-"+name, partition, decodePartChange).Since(since)
	}
	return feeds
}

// decodePartChange goes by the types of items. One that is not known here may change
// anything, and so may one that is not of its shape.
func decodePartChange(head changefeed.Head, body []byte) (change dependency.Change, relevant bool, err error) {
	switch head.Type {
	case schema.TypeDraft, schema.TypePreview, schema.TypeVersion, schema.TypeImage, schema.TypeAvatar, schema.TypeImport, schema.TypeCredentials, schema.TypeEmail, schema.TypeBlock:
		return change, false, nil // only their user's pages show them, which nobody keeps
	case schema.TypeUser, schema.TypeUsername, schema.TypeSkeleton:
		change.Facets = dependency.FacetAccount
	case schema.TypeBookmark, schema.TypeDeletedBookmark, schema.TypeLike:
		change.Facets = dependency.FacetReactions
	case schema.TypeComment:
		change.Facets = dependency.FacetComments
	case schema.TypePost, schema.TypeDeletedPost, schema.TypeUnlistedPost, schema.TypeUnpublishedPost, schema.TypeHiddenPost:
		// Of a comment that was deleted only the post tells.
		change.Facets = dependency.FacetTexts | dependency.FacetCounts | dependency.FacetComments | dependency.FacetReactions
		change.Counts = countedOf(body)
	default:
		change.Facets = dependency.AllFacets
	}
	return change, true, nil
}

// countedOf returns nil for an item that is not of its shape.
func countedOf(body []byte) *dependency.Counts {
	counted, post, postErr := posts.PostWithoutCounts(body)
	copied, copyErr := copies.CopyWithoutCounts(body)
	if postErr != nil || copyErr != nil {
		return nil
	}
	sum := fnv.New64a()
	_, _ = sum.Write(post) // a hash does not fail
	_, _ = sum.Write(copied)
	counted.Rest = sum.Sum64()
	return &counted
}

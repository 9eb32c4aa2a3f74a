package cosmos

import (
	"hash/fnv"
	"time"

	"inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/deliveries"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/feeds"
	"inkfeed/cosmos/following"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/cosmos/subscriptions"
	"inkfeed/domain"
)

// Changes returns the change feed of users, of their follows and blocks, of subscribers, of deliveries that changes of
// users cause, and of drafts that are new, scheduled or not counted. It omits the container's other items.
func (u *Users) Changes() *changefeed.Reader[feeds.UserChange] {
	return changefeed.New(u.c, client.Reads("changes-users"), changefeed.ByUserID, decodeUserChange)
}

func decodeUserChange(head changefeed.Head, body []byte) (change feeds.UserChange, relevant bool, err error) {
	switch head.Type { // credentials in particular are irrelevant, so they stay here
	case schema.TypeUser:
		var item userItem
		err = client.Decode(body, &item)
		user := item.domain()
		return feeds.UserChange{User: &user}, true, err
	case schema.TypeDraft:
		var item draftItem
		err = client.Decode(body, &item)
		draft := item.domain()
		if err == nil && draft.Version > 1 && draft.Publish.IsZero() && draft.Bytes == draft.CountedBytes() {
			return change, false, nil
		}
		return feeds.UserChange{Draft: &draft}, true, err
	case schema.TypeOutgoing:
		outgoing, err := deliveries.DecodeOutgoing(body)
		return feeds.UserChange{Outgoing: outgoing}, true, err
	case schema.TypeFollow, schema.TypeDeletedFollow:
		follow, err := following.Decode(body)
		return feeds.UserChange{Follow: follow}, true, err
	case schema.TypeSubscriber:
		subscriber, err := subscriptions.Decode(body)
		return feeds.UserChange{Subscriber: subscriber}, true, err
	case schema.TypeBlock:
		var item blockItem
		err = client.Decode(body, &item)
		return feeds.UserChange{Block: &domain.Block{UserID: item.UserID, BlockedID: item.BlockedID,
			Created: time.Time(item.CreationDate)}}, true, err
	}
	return change, false, nil
}

// PartitionChanges returns a reader for the change feed of each container that pages are made from, by the container's
// name. A change names a partition and the facets that may have changed. The readers begin at since, see
// [changefeed.Reader.Since], and omit items that no cached page shows.
func (s *Store) PartitionChanges(since time.Time) map[string]*changefeed.Reader[dependency.Change] {
	feeds := make(map[string]*changefeed.Reader[dependency.Change])
	for name, partition := range map[string]func(changefeed.Head) string{
		schema.UsersContainer: changefeed.ByUserID,
		schema.PostsContainer: changefeed.ByPostID,
		schema.FeedContainer:  changefeed.ByType,
		schema.TagsContainer:  changefeed.ByTag,
	} {
		operation := client.Reads("pages-" + name)
		feeds[name] = changefeed.New(s.Container(name), operation, partition, decodePartitionChange).Since(since)
	}
	return feeds
}

// decodePartitionChange determines the facets by the item's type. An item of unknown type may change
// all facets, and so may an item that cannot be decoded.
func decodePartitionChange(head changefeed.Head, body []byte) (change dependency.Change, relevant bool, err error) {
	switch head.Type {
	case schema.TypeDraft, schema.TypePreview, schema.TypeVersion, schema.TypeImage, schema.TypeAvatar,
		schema.TypeThumbnail,
		schema.TypeImport, schema.TypeCredentials, schema.TypeEmail,
		schema.TypeNotification, schema.TypeOutgoing, schema.TypeUsedAddress, schema.TypeMark,
		schema.TypeSubscriber, schema.TypeReceiver, schema.TypeDeletedReceiver,
		schema.TypeNewsletter, schema.TypeMailing, schema.TypeTold, schema.TypeDigestZone:
		return change, false, nil // no cached page shows them
	case schema.TypeUser, schema.TypeUsername, schema.TypeSkeleton:
		change.Facets = dependency.FacetAccount
	case schema.TypeBookmark, schema.TypeDeletedBookmark, schema.TypeLike:
		change.Facets = dependency.FacetReactions
	case schema.TypeComment, schema.TypeDeletedComment:
		change.Facets = dependency.FacetComments
	case schema.TypeBlock:
		change.Facets = dependency.FacetBlocks
	case schema.TypeFollow, schema.TypeDeletedFollow, schema.TypeFollower, schema.TypeDeletedFollower,
		schema.TypeFollowers:
		change.Facets = dependency.FacetFollows
	case schema.TypeMutes:
		change.Facets = dependency.FacetMutes
	case schema.TypePost, schema.TypePage, schema.TypeDeletedPost, schema.TypeUnlistedPost, schema.TypeUnpublishedPost,
		schema.TypeHiddenPost, schema.TypeTrashedPost:
		// The change feed does not show deletions. A deleted like appears only as a lower count of its post.
		change.Facets = dependency.FacetTexts | dependency.FacetCounts | dependency.FacetComments |
			dependency.FacetReactions
		change.Counts = countsOf(body)
	default:
		change.Facets = dependency.AllFacets
	}
	return change, true, nil
}

// countsOf returns the counts of a post or copy with a hash of everything else in it. It returns nil
// for an item that cannot be decoded.
func countsOf(body []byte) *dependency.Counts {
	counts, post, postErr := posts.PostWithoutCounts(body)
	copied, copyErr := copies.CopyWithoutCounts(body)
	if postErr != nil || copyErr != nil {
		return nil
	}
	sum := fnv.New64a()
	_, _ = sum.Write(post) // a hash does not fail
	_, _ = sum.Write(copied)
	counts.Rest = sum.Sum64()
	return &counts
}

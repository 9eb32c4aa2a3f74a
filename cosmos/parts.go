package cosmos

import (
	"hash/fnv"
	"time"

	"inkfeed/domain"
)

// PartChanges are the change feeds of what pages are made of, by their containers: which
// partitions change, and in what respect, from a time on, see Since. What is never on a page is
// left out.
func (s *Store) PartChanges(since time.Time) map[string]*ChangeFeed[domain.PartChange] {
	feeds := make(map[string]*ChangeFeed[domain.PartChange])
	for name, partition := range map[string]func(changeHead) string{
		usersContainer: byUserID, postsContainer: byPostID, feedContainer: byType, tagsContainer: byTag,
	} {
		feeds[name] = newChangeFeed(s.Container(name), "pages-"+name, partition, decodePartChange).Since(since)
	}
	return feeds
}

// decodePartChange goes by the types of items. One that is not known here may change
// anything, and so may one that is not of its shape.
func decodePartChange(head changeHead, body []byte) (change domain.PartChange, relevant bool, err error) {
	switch head.Type {
	case typeDraft, typePreview, typeVersion, typeImage, typeAvatar, typeImport, typeCredentials, typeEmail, typeBlock:
		return change, false, nil // only their user's pages show them, which nobody keeps
	case typeUser, typeUsername, typeSkeleton:
		change.Aspects = domain.AspectAccount
	case typeBookmark, typeDeletedBookmark, typeLike:
		change.Aspects = domain.AspectMarks
	case typeComment:
		change.Aspects = domain.AspectComments
	case typePost, typeDeletedPost, typeUnlistedPost, typeUnpublishedPost, typeHiddenPost:
		// Of a comment that was deleted only the post tells.
		change.Aspects = domain.AspectTexts | domain.AspectCounts | domain.AspectComments | domain.AspectMarks
		change.Counted = countedOf(body)
	default:
		change.Aspects = domain.AllAspects
	}
	return change, true, nil
}

// countedOf returns nil for an item that is not of its shape.
func countedOf(body []byte) *domain.Counted {
	counted, post, postErr := postWithoutCounts(body)
	copied, copyErr := copyWithoutCounts(body)
	if postErr != nil || copyErr != nil {
		return nil
	}
	sum := fnv.New64a()
	_, _ = sum.Write(post) // a hash does not fail
	_, _ = sum.Write(copied)
	counted.Rest = sum.Sum64()
	return &counted
}

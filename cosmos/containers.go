package cosmos

import "github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

const (
	usersContainer   = "users"
	postsContainer   = "posts"
	feedContainer    = "feed"
	leasesContainer  = "leases"
	lettersContainer = "deadletters"
)

// Values of the property type, which tells the items of one container apart.
const (
	typeUser        = "user"
	typeCredentials = "credentials"
	typeUsername    = "username"
	typePost        = "post"
	typeComment     = "comment"
	typeLike        = "like"
	typeLease       = "lease"
	typeDeadLetter  = "dead-letter"
	// typeDeletedPost is the tombstone of a user's copy of a post.
	typeDeletedPost = "deleted-post"
)

// containerDefinitions lists the containers with indexing policies made for
// their queries and nothing else: every indexed path is paid for on each write.
// A composite index lists its columns in the order of the ORDER BY that needs
// it; the service serves the exact reverse from it as well.
func containerDefinitions() []azcosmos.ContainerProperties {
	return []azcosmos.ContainerProperties{
		definition(usersContainer, "/userId",
			// ownerId finds the names of a user whose account is deleted.
			[]string{"/type/?", "/userId/?", "/creationDate/?", "/ownerId/?"},
			// Q3: a user's posts, newest first.
			descending("/type", "/creationDate", "/id")),
		definition(postsContainer, "/postId",
			// userId finds what a renamed user wrote, in every partition; deletionDate
			// leaves markers out where the next in line for the feed are looked for.
			[]string{"/type/?", "/postId/?", "/userId/?", "/creationDate/?", "/deletionDate/?"},
			// Q4: a post's comments, oldest first; reversed, Q5: its likes.
			ascending("/type", "/creationDate", "/id")),
		definition(feedContainer, "/type",
			[]string{"/type/?", "/creationDate/?"},
			// Q6: the newest posts.
			descending("/creationDate", "/id")),
		definition(leasesContainer, "/id", []string{"/type/?", "/processor/?"}),
		definition(lettersContainer, "/processor", []string{"/type/?"}),
	}
}

func definition(id, partitionKey string, indexed []string, composites ...[]azcosmos.CompositeIndex) azcosmos.ContainerProperties {
	included := make([]azcosmos.IncludedPath, len(indexed))
	for i, path := range indexed {
		included[i].Path = path
	}
	// TTL is on, without a default: an item expires only if it says so itself.
	ttl := int32(-1)
	return azcosmos.ContainerProperties{
		ID: id,
		PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{
			Kind: azcosmos.PartitionKeyKindHash, Paths: []string{partitionKey}, Version: 2,
		},
		DefaultTimeToLive: &ttl,
		IndexingPolicy: &azcosmos.IndexingPolicy{
			Automatic:        true,
			IndexingMode:     azcosmos.IndexingModeConsistent,
			IncludedPaths:    included,
			ExcludedPaths:    []azcosmos.ExcludedPath{{Path: "/*"}},
			CompositeIndexes: composites,
		},
	}
}

func ascending(paths ...string) []azcosmos.CompositeIndex {
	return composite(azcosmos.CompositeIndexAscending, paths)
}

func descending(paths ...string) []azcosmos.CompositeIndex {
	return composite(azcosmos.CompositeIndexDescending, paths)
}

func composite(order azcosmos.CompositeIndexOrder, paths []string) []azcosmos.CompositeIndex {
	index := make([]azcosmos.CompositeIndex, len(paths))
	for i, path := range paths {
		index[i] = azcosmos.CompositeIndex{Path: path, Order: order}
	}
	return index
}

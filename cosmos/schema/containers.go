package schema

import "github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

const (
	UsersContainer     = "users"
	PostsContainer     = "posts"
	FeedContainer      = "feed"
	TagsContainer      = "tags"
	LeasesContainer    = "leases"
	LettersContainer   = "deadletters"
	ScheduleContainer  = "schedule"
	RedirectsContainer = "redirects"
	SessionsContainer  = "sessions"
	// ModerationContainer has reports, held texts, invitations, settings and the audit log.
	ModerationContainer = "moderation"
	LimitsContainer     = "limits"
)

// ContainerDefinitions lists the containers with indexing policies made for
// their queries and nothing else: every indexed path is paid for on each write.
// A composite index lists its columns in the order of the ORDER BY that needs
// it; the service serves the exact reverse from it as well.
func ContainerDefinitions() []azcosmos.ContainerProperties {
	return []azcosmos.ContainerProperties{
		Definition(UsersContainer, "/userId",
			// ownerId finds the names of a user whose account is deleted.
			// role finds who has been given one.
			[]string{"/type/?", "/userId/?", "/creationDate/?", "/ownerId/?", "/savedDate/?", "/role/?"},
			// Q3: a user's posts, newest first.
			Descending("/type", "/creationDate", "/id"),
			// A user's drafts, the last saved first.
			Descending("/type", "/savedDate", "/id")),
		Definition(PostsContainer, "/postId",
			// userId finds what a renamed user wrote, in every partition; deletionDate
			// leaves markers out where the next in line for the feed are looked for.
			[]string{"/type/?", "/postId/?", "/userId/?", "/creationDate/?", "/deletionDate/?"},
			// Q4: a post's comments, replies below their parents.
			Ascending("/type", "/place"),
			// Reversed, Q5: a post's likes, newest first.
			Ascending("/type", "/creationDate", "/id")),
		Definition(FeedContainer, "/type",
			[]string{"/type/?", "/creationDate/?"},
			// Q6: the newest posts.
			Descending("/creationDate", "/id")),
		Definition(TagsContainer, "/tag",
			[]string{"/type/?", "/creationDate/?"},
			// A tag's posts, newest first.
			Descending("/type", "/creationDate", "/id")),
		Definition(LeasesContainer, "/id", []string{"/type/?", "/processor/?"}),
		Definition(LettersContainer, "/processor", []string{"/type/?"}),
		// What is due next, of all there is: the partitions "scheduled" and "leaving".
		Definition(ScheduleContainer, "/type", []string{"/type/?", "/publishDate/?", "/leavingDate/?"}),
		// Nothing is ever looked for but by its id.
		Definition(RedirectsContainer, "/id", []string{"/type/?"}),
		// A user's sessions; each secret is a partition of its own. No query uses the index of the last use
		// any more: it stays so that existing containers have the policy that is defined here.
		Definition(SessionsContainer, "/userId", []string{"/type/?", "/lastUse/?"},
			Descending("/type", "/lastUse")),
		// Each queue, newest first; reports also by how many there are of one target.
		Definition(ModerationContainer, "/queue", []string{"/type/?", "/queue/?", "/creationDate/?", "/reportDate/?", "/reportCount/?"},
			Descending("/type", "/creationDate", "/id"),
			Descending("/type", "/reportDate", "/id"),
			Descending("/type", "/reportCount", "/reportDate", "/id")),
		Definition(LimitsContainer, "/id", []string{"/type/?"}),
	}
}

func Definition(id, partitionKey string, indexed []string, composites ...[]azcosmos.CompositeIndex) azcosmos.ContainerProperties {
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

func Ascending(paths ...string) []azcosmos.CompositeIndex {
	return composite(azcosmos.CompositeIndexAscending, paths)
}

func Descending(paths ...string) []azcosmos.CompositeIndex {
	return composite(azcosmos.CompositeIndexDescending, paths)
}

func composite(order azcosmos.CompositeIndexOrder, paths []string) []azcosmos.CompositeIndex {
	index := make([]azcosmos.CompositeIndex, len(paths))
	for i, path := range paths {
		index[i] = azcosmos.CompositeIndex{Path: path, Order: order}
	}
	return index
}

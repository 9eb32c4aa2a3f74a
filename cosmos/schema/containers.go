package schema

import "github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

// Names of the containers.
const (
	UsersContainer       = "users"
	PostsContainer       = "posts"
	FeedContainer        = "feed"
	TagsContainer        = "tags"
	LeasesContainer      = "leases"
	DeadLettersContainer = "deadletters"
	ScheduleContainer    = "schedule"
	RedirectsContainer   = "redirects"
	SessionsContainer    = "sessions"
	ModerationContainer  = "moderation" // reports, held texts, invitations, settings and the audit log
	LimitsContainer      = "limits"
	CostsContainer       = "costs" // measured request charges, added up by every instance
	DeliveriesContainer  = "deliveries"
	TimelinesContainer   = "timelines"
	OverviewsContainer   = "overviews" // lists of everything of one kind, for administrators and moderators
)

// ContainerDefinitions returns the containers with their indexing policies. Each policy indexes only
// the paths that queries need, because every indexed path adds to the charge of each write. A
// composite index lists its paths in the order of the ORDER BY that needs it. It also serves the
// exact reverse order.
func ContainerDefinitions() []azcosmos.ContainerProperties {
	return []azcosmos.ContainerProperties{
		Definition(UsersContainer, "/userId",
			// The index of ownerId finds the names of a deleted user. The index of role finds
			// moderators and administrators. The index of seriesPlace finds and sorts the parts
			// of a series; only copies of such posts have that path.
			[]string{"/type/?", "/userId/?", "/creationDate/?", "/ownerId/?", "/savedDate/?", "/role/?",
				"/details/seriesPlace/?"},
			// Q3: a user's posts, newest first.
			Descending("/type", "/creationDate", "/id"),
			// A user's drafts, the most recently saved first.
			Descending("/type", "/savedDate", "/id")),
		Definition(PostsContainer, "/postId",
			// The index of userId finds the posts and comments of a renamed user in all
			// partitions. The index of deletionDate excludes deleted posts when the feed is
			// refilled.
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
		Definition(DeadLettersContainer, "/processor", []string{"/type/?"}),
		// The items that are due next, in the partitions "scheduled", "leaving" and "continuing".
		Definition(ScheduleContainer, "/type",
			[]string{"/type/?", "/publishDate/?", "/leavingDate/?", "/continuationDate/?"}),
		// Redirects are only read by their ids.
		Definition(RedirectsContainer, "/id", []string{"/type/?"}),
		// A user's sessions. Each secret has a partition of its own. No query uses the index of
		// lastUse any more; it stays so that existing containers match this definition.
		Definition(SessionsContainer, "/userId", []string{"/type/?", "/lastUse/?"},
			Descending("/type", "/lastUse")),
		// Each queue, newest first. Reports also by their number for each target. The index of postId
		// finds the review queue's entries about a post.
		Definition(ModerationContainer, "/queue",
			[]string{"/type/?", "/queue/?", "/postId/?", "/creationDate/?", "/reportDate/?", "/reportCount/?"},
			Descending("/type", "/creationDate", "/id"),
			Descending("/type", "/reportDate", "/id"),
			Descending("/type", "/reportCount", "/reportDate", "/id")),
		Definition(LimitsContainer, "/id", []string{"/type/?"}),
		// Each logical partition is read whole, by a query without a filter.
		Definition(CostsContainer, "/span", []string{"/type/?"}),
		// The deliveries to a destination, those that are due first. The partition "destinations" lists the
		// destinations, in the same order.
		Definition(DeliveriesContainer, "/destination", []string{"/sortKey/?"}),
		// A user's timeline, newest first. One index, because each new post is written for each follower.
		Definition(TimelinesContainer, "/userId", []string{"/place/?"}),
		// All accounts and all comments, each a logical partition, sorted by sortKey. A name is searched for with
		// CONTAINS, which reads the index of the path search.
		Definition(OverviewsContainer, "/list",
			[]string{"/sortKey/?", "/search/?", "/role/?", "/state/?"},
			Descending("/type", "/sortKey")),
	}
}

// SortedPaths returns the paths of each container that queries sort by without a composite index.
func SortedPaths() map[string][]string {
	return map[string][]string{ScheduleContainer: {"/publishDate/?", "/leavingDate/?"},
		UsersContainer: {"/details/seriesPlace/?"}, DeliveriesContainer: {"/sortKey/?"},
		TimelinesContainer: {"/place/?"}, OverviewsContainer: {"/sortKey/?"}}
}

// Definition returns a container that indexes only the given paths and composites, and whose items
// can have a time to live.
func Definition(id, partitionKey string, indexed []string,
	composites ...[]azcosmos.CompositeIndex) azcosmos.ContainerProperties {
	included := make([]azcosmos.IncludedPath, len(indexed))
	for i, path := range indexed {
		included[i].Path = path
	}
	// With -1, an item expires only if it has a time to live of its own.
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

// Ascending returns a composite index of paths in ascending order.
func Ascending(paths ...string) []azcosmos.CompositeIndex {
	return composite(azcosmos.CompositeIndexAscending, paths)
}

// Descending returns a composite index of paths in descending order.
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

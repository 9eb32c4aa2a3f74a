package cosmos

import "github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

const (
	usersContainer     = "users"
	postsContainer     = "posts"
	feedContainer      = "feed"
	tagsContainer      = "tags"
	leasesContainer    = "leases"
	lettersContainer   = "deadletters"
	scheduleContainer  = "schedule"
	redirectsContainer = "redirects"
	sessionsContainer  = "sessions"
	// moderationContainer has reports, held texts, invitations, settings and the audit log.
	moderationContainer = "moderation"
	limitsContainer     = "limits"
)

// Values of the property type, which tells the items of one container apart.
const (
	typeUser        = "user"
	typeCredentials = "credentials"
	typeUsername    = "username"
	// typeSkeleton reserves what usernames that look alike have in common.
	typeSkeleton = "skeleton"
	typePost     = "post"
	typeComment  = "comment"
	typeLike     = "like"
	// typeBookmark is a bookmark in posts, and in users its reader's copy, of which
	// typeDeletedBookmark is the tombstone.
	typeBookmark        = "bookmark"
	typeDeletedBookmark = "deleted-bookmark"
	typeLease           = "lease"
	typeDeadLetter      = "dead-letter"
	// typeDeletedPost is the tombstone of a user's copy of a post.
	typeDeletedPost = "deleted-post"
	// Copies, in users too, of posts that stand in no public list.
	typeUnlistedPost    = "unlisted-post"
	typeUnpublishedPost = "unpublished-post"
	typeHiddenPost      = "hidden-post"

	typeDraft         = "draft"
	typePreview       = "preview"
	typeVersion       = "version"
	typeScheduledPost = "scheduled"
	// typeScheduledDeletion is the scheduled deletion of an account.
	typeScheduledDeletion = "leaving"

	// Records of pictures; avatars stand in no list.
	typeImage    = "image"
	typeAvatar   = "avatar"
	typeRedirect = "redirect"
	typeImport   = "import"
	// typeImportJob is an import in the browser, in users; typeImporting is its entry in the schedule.
	typeImportJob = "import-job"
	typeImporting = "importing"

	typeBlock = "block" // whom a user has blocked

	typeSession = "session"
	typeEmail   = "email"
	typeCounter = "counter"

	// typeAdministrators is the one list of administrators, in users.
	typeAdministrators = "administrators"

	typeSettings      = "settings"
	typeAudit         = "audit"
	typeInvitation    = "invitation"
	typeInvitationUse = "invitation-use"
)

// containerDefinitions lists the containers with indexing policies made for
// their queries and nothing else: every indexed path is paid for on each write.
// A composite index lists its columns in the order of the ORDER BY that needs
// it; the service serves the exact reverse from it as well.
func containerDefinitions() []azcosmos.ContainerProperties {
	return []azcosmos.ContainerProperties{
		definition(usersContainer, "/userId",
			// ownerId finds the names of a user whose account is deleted.
			// role finds who has been given one.
			[]string{"/type/?", "/userId/?", "/creationDate/?", "/ownerId/?", "/savedDate/?", "/role/?"},
			// Q3: a user's posts, newest first.
			descending("/type", "/creationDate", "/id"),
			// A user's drafts, the last saved first.
			descending("/type", "/savedDate", "/id")),
		definition(postsContainer, "/postId",
			// userId finds what a renamed user wrote, in every partition; deletionDate
			// leaves markers out where the next in line for the feed are looked for.
			[]string{"/type/?", "/postId/?", "/userId/?", "/creationDate/?", "/deletionDate/?"},
			// Q4: a post's comments, replies below their parents.
			ascending("/type", "/place"),
			// Reversed, Q5: a post's likes, newest first.
			ascending("/type", "/creationDate", "/id")),
		definition(feedContainer, "/type",
			[]string{"/type/?", "/creationDate/?"},
			// Q6: the newest posts.
			descending("/creationDate", "/id")),
		definition(tagsContainer, "/tag",
			[]string{"/type/?", "/creationDate/?"},
			// A tag's posts, newest first.
			descending("/type", "/creationDate", "/id")),
		definition(leasesContainer, "/id", []string{"/type/?", "/processor/?"}),
		definition(lettersContainer, "/processor", []string{"/type/?"}),
		// What is due next, of all there is: the partitions "scheduled" and "leaving".
		definition(scheduleContainer, "/type", []string{"/type/?", "/publishDate/?", "/leavingDate/?"}),
		// Nothing is ever looked for but by its id.
		definition(redirectsContainer, "/id", []string{"/type/?"}),
		// A user's sessions; each secret is a partition of its own. No query uses the index of the last use
		// any more: it stays so that existing containers have the policy that is defined here.
		definition(sessionsContainer, "/userId", []string{"/type/?", "/lastUse/?"},
			descending("/type", "/lastUse")),
		// Each queue, newest first; reports also by how many there are of one target.
		definition(moderationContainer, "/queue", []string{"/type/?", "/queue/?", "/creationDate/?", "/reportDate/?", "/reportCount/?"},
			descending("/type", "/creationDate", "/id"),
			descending("/type", "/reportDate", "/id"),
			descending("/type", "/reportCount", "/reportDate", "/id")),
		definition(limitsContainer, "/id", []string{"/type/?"}),
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

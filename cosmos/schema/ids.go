package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"inkfeed/domain"
)

// DraftID is the id of the draft of that post in its author's partition. A post's own
// id is that of the post's copy there.
func DraftID(postID string) string { return "draft." + postID }

func BlockID(userID string) string { return "block." + userID }

// SavedID is the id of a bookmark's copy within its reader's partition.
func SavedID(postID string) string { return "bookmark." + postID }

// ScheduledPostID returns the id of the scheduled item of a draft and a time. It includes the author's id, because authors
// may choose the ids of their posts.
func ScheduledPostID(userID, postID string, at time.Time) string {
	return fmt.Sprintf("%s.%s.%d", userID, postID, at.UnixMilli())
}

// VersionID sorts as its number does.
func VersionID(revision int) string { return fmt.Sprintf("version-%06d", revision) }

func ImageID(name string) string { return "image." + name }

func EmailID(email string) string { return "email." + domain.EmailKey(email) }

// SkeletonID is a digest, since a skeleton may have characters that no id has. Like a user's
// id it has a dot, which no username has.
func SkeletonID(skeleton string) string { return "skeleton." + domain.SecretDigest(skeleton) }

// ScheduledDeletionID returns the id of the scheduled item of an account and a time.
func ScheduledDeletionID(userID string, at time.Time) string {
	return fmt.Sprintf("%s.%d", userID, at.UnixMilli())
}

// ImportID is the id of a post's record. The post's own id is that of its copy there.
func ImportID(postID string) string { return "import." + postID }

// ImportJobID is the id of a user's job in the user's partition.
const ImportJobID = "import-job"

// RedirectID is a digest: a path has characters that an id cannot have, and may be longer.
func RedirectID(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])
}

func LeaseID(processor string, r domain.FeedRange) string {
	return fmt.Sprintf("%s..%s-%s", processor, r.MinInclusive, r.MaxExclusive)
}

func AuditQueue(at time.Time) string { return "audit-" + at.UTC().Format("2006-01") }

const CredentialsID = "credentials"

// AdministratorsID is neither a username nor the id of a user.
const AdministratorsID = "system.administrators"

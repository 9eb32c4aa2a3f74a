package schema

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// CredentialsID is the id of a user's credentials in the user's partition.
const CredentialsID = "credentials"

// ImportJobID is the id of a user's import job in the user's partition.
const ImportJobID = "import-job"

// AdministratorsID is the id and partition of the list of administrators. It has the form of neither
// a username nor a user's id.
const AdministratorsID = "system.administrators"

// PagesID is the id of the list of static pages, in the partition of the settings.
const PagesID = "pages"

// DraftID returns the id of the draft of a post in its author's partition. The post's own id is the
// id of the post's copy there.
func DraftID(postID string) string { return "draft." + postID }

// BlockID returns the id of the block of a user in the blocking user's partition.
func BlockID(userID string) string { return "block." + userID }

// FollowID returns the id of the follow of a source in the follower's partition.
func FollowID(s domain.Source) string { return "follow." + s.Key() }

// FollowersKey returns the partition of the followers of a source, in users. It has the form of neither a username nor
// a user's id.
func FollowersKey(s domain.Source) string { return "followers." + s.Key() }

// FollowersID is the id of the number of followers, in their partition.
const FollowersID = "followers"

// Ids in the partition of a subscriber, and of an author: see TypeSubscriber and TypeNewsletter.
const (
	SubscriberID = "subscriber"
	NewsletterID = "newsletter"
)

// ReceiversKey returns the partition of the subscribers to a list, in users. The lists of an author share one.
func ReceiversKey(l subscription.List) string {
	if l.Kind == subscription.BySeries {
		l = subscription.Author(l.AuthorID)
	}
	return "subscribers." + l.Key()
}

// ReceiverID returns the id of a subscriber in the partition of a list. It begins with the subscriber's own.
func ReceiverID(subscriberID string, l subscription.List) string {
	key := l.Key()
	if l.AuthorID != "" {
		key = strings.Replace(key, "."+l.AuthorID, "", 1)
	}
	return subscriberID + "." + key
}

// DigestsPrefix begins the partitions of the subscribers who get digests, before the ZoneID.
const DigestsPrefix = "subscribers.digests."

// DigestsKey returns the partition of the subscribers who get digests in a time zone, in users.
func DigestsKey(zone string) string { return DigestsPrefix + ZoneID(zone) }

// DigestZones is the partition of the time zones in which digests are sent.
const DigestZones = "digest-zones"

// siteZone is the id of the time zone of the site, which has no name.
const siteZone = "site"

// ZoneID returns the id of a time zone. Ids cannot have slashes.
func ZoneID(zone string) string { return cmp.Or(strings.ReplaceAll(zone, "/", "~"), siteZone) }

// ZoneOf returns the time zone with an id. It is the inverse of ZoneID.
func ZoneOf(id string) string {
	if id == siteZone {
		return ""
	}
	return strings.ReplaceAll(id, "~", "/")
}

// MailingID returns the id of the mailing of a post in its author's partition.
func MailingID(postID string) string { return "mailing." + postID }

// ToldKey returns the partition of the posts of the digests of a day (UTC), in users.
func ToldKey(day time.Time) string { return "told." + day.UTC().Format(time.DateOnly) }

// MutesID is the id of a user's mutes in the user's partition.
const MutesID = "mutes"

// NotificationID returns the id of a notification. It follows from the event, so each event has one notification. A
// comment is one event, whether it is also a reply or mentions the user.
func NotificationID(n domain.Notification) string {
	if n.CommentID != "" && (n.Kind == domain.NotifyReply || n.Kind == domain.NotifyMention) {
		n.Kind = domain.NotifyComment
	}
	id := "notification." + string(n.Kind)
	for _, part := range []string{n.PostID, n.CommentID, n.FollowerID} {
		if part != "" {
			id += "." + part
		}
	}
	if n.Event > 0 {
		id += fmt.Sprintf(".%d", n.Event)
	}
	return id
}

// BookmarkCopyID returns the id of a bookmark's copy in its reader's partition.
func BookmarkCopyID(postID string) string { return "bookmark." + postID }

// VersionID returns the id of a post's earlier version. The ids sort as the revisions do.
func VersionID(revision int) string { return fmt.Sprintf("version-%06d", revision) }

// UsedAddressID is the id of the item that stays when a post is deleted, in the post's partition.
const UsedAddressID = "used-address"

// ImageID returns the id of a picture's record in its owner's partition.
func ImageID(name string) string { return "image." + name }

// EmailID returns the id and partition of the reservation of an e-mail address.
func EmailID(email string) string { return "email." + domain.EmailKey(email) }

// SkeletonID returns the id and partition of the reservation of a skeleton. It contains a digest,
// because skeletons can have characters that ids cannot have. The dot sets it apart from usernames.
func SkeletonID(skeleton string) string { return "skeleton." + domain.SecretDigest(skeleton) }

// ScheduledPostID returns the id of the scheduled item of a draft, or of a post in the trash, and a time. It includes
// the author's id, because authors may choose the ids of their posts.
func ScheduledPostID(userID, postID string, at time.Time) string {
	return fmt.Sprintf("%s.%s.%d", userID, postID, at.UnixMilli())
}

// ScheduledDeletionID returns the id of the scheduled item of an account and a time.
func ScheduledDeletionID(userID string, at time.Time) string {
	return fmt.Sprintf("%s.%d", userID, at.UnixMilli())
}

// EmbeddingID returns the id of the scheduled item that fetches the embeds of a revision of a post.
func EmbeddingID(postID string, revision int) string { return fmt.Sprintf("%s.%d", postID, revision) }

// ImportID returns the id of the import record of a post in its author's partition.
func ImportID(postID string) string { return "import." + postID }

// RedirectID returns the id and partition of the redirect of a path. It is a digest, because paths
// can have characters that ids cannot have, and can be longer than ids.
func RedirectID(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])
}

// LeaseID returns the id and partition of the lease of a processor and feed range.
func LeaseID(processor string, r feeds.Range) string {
	return fmt.Sprintf("%s..%s-%s", processor, r.MinInclusive, r.MaxExclusive)
}

// AuditQueue returns the partition of the container moderation with the audit log of a month (UTC).
func AuditQueue(at time.Time) string { return "audit-" + at.UTC().Format("2006-01") }

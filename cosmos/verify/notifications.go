package verify

import (
	"strings"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// storedNotices has the properties of notifications and mutes that the rules are about.
type storedNotices struct {
	NotificationCount int          `json:"notificationCount"`
	NotificationsSeen int          `json:"notificationsSeen"`
	FollowerID        string       `json:"followerId"`
	Number            int          `json:"number"`
	MuteCount         int          `json:"muteCount"`
	Muted             []storedMute `json:"muted"`
}

type storedMute struct {
	Kind domain.MuteKind `json:"kind"`
	ID   string          `json:"id"`
	Date date            `json:"date"`
}

// auditedNotifications counts a user's notifications.
type auditedNotifications struct {
	counted, seen int // the counts in the user's item, which include expired notifications
	stored        int // those that have not expired
	number        int // the highest number of a notification of likes
}

// auditedMutes counts a user's mutes, and the items that they are in.
type auditedMutes struct{ counted, stored, items int }

func (a *audit) noteNotification(subject string, i storedItem) {
	kind := i.Kind
	if i.CommentID != "" && (kind == "reply" || kind == "mention") {
		kind = "comment" // the same event
	}
	about := domain.Target{PostID: i.PostID}.ID()
	if i.PostID == "" {
		about = i.FollowerID
	}
	switch target, ok := strings.CutPrefix(i.ID, "notification."+kind+"."); {
	case !ok:
		a.violation(ruleIDs, subject, "its id should begin with its kind, %q", kind)
	case about == "" || !strings.HasPrefix(target, about):
		a.violation(ruleIDs, subject, "its id should name post %s", about)
	}
	if (i.Kind == "follower") != domain.IsUserID(i.FollowerID) || (i.Kind == "like") != (i.Number > 0) {
		a.violation(ruleShapes, subject, "follower %q and number %d do not fit its kind", i.FollowerID, i.Number)
	}
	if !i.expires() {
		a.violation(ruleTombstones, subject, "the notification does not expire")
	}
	u := a.user(i.UserID)
	u.notifications.stored++
	u.notifications.number = max(u.notifications.number, i.Number)
}

// noteMutes checks what a user has muted. People, tags and posts may be gone since.
func (a *audit) noteMutes(subject string, i storedItem) {
	if i.ID != schema.MutesID {
		a.violation(ruleIDs, subject, "mutes are found as %q", schema.MutesID)
	}
	known := make(map[storedMute]bool)
	for _, m := range i.Muted {
		m.Date = date{}
		if one := (domain.Mute{Kind: m.Kind, ID: m.ID}); !one.Valid() || known[m] || m.ID == i.UserID {
			a.violation(ruleShapes, subject, "%s %q cannot be muted", m.Kind, m.ID)
		}
		known[m] = true
	}
	if len(i.Muted) > domain.MaxMutes {
		a.violation(ruleShapes, subject, "there are %d mutes, at most %d are allowed", len(i.Muted), domain.MaxMutes)
	}
	a.checkStays(subject, i)
	u := a.user(i.UserID)
	u.mutes.stored, u.mutes.items = len(i.Muted), u.mutes.items+1
}

// checkNotifications checks a user's counts of notifications, of which only the latest are stored, and of mutes.
func (a *audit) checkNotifications(subject string, u *auditedUser) {
	n := u.notifications
	if n.stored > n.counted || n.seen > n.counted || n.number > n.counted {
		a.violation(ruleCounts, subject, "%d notifications are counted and %d seen, there are %d", n.counted, n.seen,
			n.stored)
	}
	if u.mutes.counted != u.mutes.stored {
		a.violation(ruleCounts, subject, "%d mutes are counted, there are %d", u.mutes.counted, u.mutes.stored)
	}
}

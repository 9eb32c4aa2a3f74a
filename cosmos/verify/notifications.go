package verify

import (
	"strings"

	"inkfeed/domain"
)

// auditedNotifications counts a user's notifications.
type auditedNotifications struct {
	counted, seen int // the counts in the user's item, which include expired notifications
	stored        int // those that have not expired
}

func (a *audit) noteNotification(subject string, i storedItem) {
	switch target, ok := strings.CutPrefix(i.ID, "notification."+i.Kind+"."); {
	case !ok:
		a.violation(ruleIDs, subject, "its id should begin with its kind, %q", i.Kind)
	case !strings.HasPrefix(target, domain.Target{PostID: i.PostID}.ID()):
		a.violation(ruleIDs, subject, "its id should name post %s", i.PostID)
	}
	if !i.expires() {
		a.violation(ruleTombstones, subject, "the notification does not expire")
	}
	a.user(i.UserID).notifications.stored++
}

// checkNotifications checks a user's counts of notifications, of which only the latest are stored.
func (a *audit) checkNotifications(subject string, n auditedNotifications) {
	if n.stored > n.counted || n.seen > n.counted {
		a.violation(ruleCounts, subject, "%d notifications are counted and %d seen, there are %d", n.counted, n.seen,
			n.stored)
	}
}

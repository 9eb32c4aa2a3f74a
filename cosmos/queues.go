package cosmos

// The queues of the container moderation are its partitions. The audit log has one for each
// month: see auditQueue.
const (
	settingsQueue   = "settings"
	invitationQueue = "invitations"
	reportsQueue    = "reports"
	heldQueue       = "held"
)

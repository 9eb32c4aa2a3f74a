package site

// Actions of moderators.
const (
	DoDismiss = "dismiss"
	DoHide    = "hide"
	DoRestore = "restore"
	DoApprove = "approve"
	DoSuspend = "suspend"
)

// ModerationMessages are the messages that confirm an action.
var ModerationMessages = map[string]string{
	DoDismiss: "Reports dismissed.",
	DoHide:    "Hidden. Only its author and moderators can see it.",
	DoRestore: "Restored.",
	DoApprove: "Approved. This author's future posts won't need review.",
	DoSuspend: "Account suspended.",
}

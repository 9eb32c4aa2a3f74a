package web

// What moderators do.
const (
	doDismiss = "dismiss"
	doHide    = "hide"
	doRestore = "restore"
	doApprove = "approve"
	doSuspend = "suspend"
)

// moderationDone is what a page says of what was done.
var moderationDone = map[string]string{
	doDismiss: "The reports are dismissed.",
	doHide:    "It is hidden: nobody but its author and moderators sees it.",
	doRestore: "It is restored.",
	doApprove: "It is approved. Nothing new of its author has to wait any more.",
	doSuspend: "The account is suspended.",
}

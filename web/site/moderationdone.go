package site

import (
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// Actions of moderators.
const (
	DoDismiss = "dismiss"
	DoHide    = "hide"
	DoRestore = "restore"
	DoApprove = "approve"
	DoSuspend = "suspend"
	DoUndo    = "undo" // of hiding
)

// ModerationMessages are the messages that confirm an action.
var ModerationMessages = map[string]string{
	DoDismiss: "Reports dismissed.",
	DoHide:    "Hidden. Only its author and moderators can see it.",
	DoRestore: "Restored.",
	DoApprove: "Approved. This author's future posts won't need review.",
	DoSuspend: "Account suspended.",
	DoUndo:    "Undone. It is as it was before you hid it.",
}

// Names of the parameters by which the page after hiding a text offers to undo it.
const (
	UndoParameter = "undo" // the id of the target
	WasParameter  = "was"  // the hold before
)

// ModerationDone returns what the page after an action shows. Of a text that the viewer has hidden, it offers to undo
// that. Text is the version of the text, and back the path of the page.
func ModerationDone(c echo.Context, viewer domain.User, known domain.Reported, text, back string) views.ModerationDone {
	done := views.ModerationDone{Message: ModerationMessages[c.QueryParam("done")]}
	if c.QueryParam("done") == DoHide && c.QueryParam(UndoParameter) == known.ID() && known.By == viewer.ID &&
		known.Decision == domain.DecisionHidden {
		done.Undo = &views.UndoHiding{Target: known.Target, Version: known.Version, TextVersion: text,
			Was: domain.Hold(c.QueryParam(WasParameter)), Back: back}
	}
	return done
}

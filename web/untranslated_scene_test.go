package web_test

import (
	"net/http"
	"strings"
	"time"

	"inkfeed/cosmos/costs"
	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
	"inkfeed/web"
	"inkfeed/web/site"
	"inkfeed/web/webtest"
)

// accented makes the site of a scene speak en-XA to everybody.
func (s *scene) accented(change ...func(*web.Config)) {
	s.T.Helper()
	settings, err := s.config.Settings.Get(s.T.Context())
	s.Must(err)
	settings.Info = siteinfo.Info{Name: s.script.write("Name"), Tagline: s.script.write("Tagline"),
		Description: s.script.write("Description"), Footer: s.script.write("Footer")}
	s.SetSettings(settings)
	c := s.config
	c.Current = site.NewCurrentSettings()
	c.Current.Apply(settings)
	// The first language is that of requests without a preference, and of feeds.
	c.Languages = locale.NewSet(append(locale.Pseudo(), locale.English())...)
	for _, f := range change {
		f(&c)
	}
	s.Restart(c)
}

// fill adds content of all kinds to the scene of an owner, and returns its viewers by name.
func (s *scene) fill() map[string]*webtest.Visitor {
	s.T.Helper()
	owner, store, ctx := s.actor, s.Data.Store, s.T.Context()
	as := func(name string, role domain.Role) *webtest.Visitor {
		v := s.joins(name)
		s.setRole(v, role)
		return v
	}
	viewers := map[string]*webtest.Visitor{"anonymous": s.Anonymous(), "owner": owner,
		"author": as("ben", domain.RoleAuthor), "reader": as("rea", domain.RoleReader),
		"moderator": as("maud", domain.RoleModerator), "administrator": as("anna", domain.RoleAdministrator),
		"user with second factors": s.joins("tess"), "user who is leaving": s.joins("lea"), "new user": s.joins("nora")}
	ben, reader, moderator := viewers["author"], viewers["reader"], viewers["moderator"]
	s.addFactors(viewers)
	s.Must(ignore(store.Accounts.Suspend(ctx, s.joins("sid").User.ID, s.script.write("Spam"), time.Now())))
	s.addPosts(owner, ben)
	s.addModerated(owner, ben, moderator)
	s.addComments(owner, ben, reader)
	ben.Post("/settings/blocks", "user", reader.User.ID).Want(http.StatusSeeOther)
	owner.Upload("/images", webtest.Photo(s.T, 60, 40), "alt", s.script.write("A house")).Want(http.StatusSeeOther)
	s.addImports(viewers)
	s.Data.StoreCosts(s.params["id"])
	s.Data.Lags = []costs.RangeLag{{Processor: "posts", Range: "00-FF", Owner: "web-1-17-ABCDEFGH", End: 100},
		{Processor: "users", Range: "00-FF", Owner: "web-2-9-IJKLMNOP", Transactions: 3, Age: 2 * time.Second,
			End: 100}}
	return viewers
}

// ignore returns the error of a call.
func ignore[T any](_ T, err error) error { return err }

// addFactors gives users the factors that their names say.
func (s *scene) addFactors(viewers map[string]*webtest.Visitor) {
	enrolled, leaver, fresh := viewers["user with second factors"], viewers["user who is leaving"], viewers["new user"]
	enrolled.EnableAuthenticator()
	enrolled.SetVerifiedEmail("tess@example.org")
	viewers["half signed in"] = s.HalfSignedIn(enrolled.User.Username)
	s.Data.Must(ignore(s.Data.Store.AccountDeletions.ScheduleDeletion(s.T.Context(), leaver.User.ID,
		time.Now().Add(webtest.DeletionGrace))))
	for _, session := range s.Data.Sessions() {
		if session.UserID == fresh.User.ID { // confirmed the password long ago
			s.Data.Must(s.Data.Store.Sessions.Confirm(s.T.Context(), session.UserID, session.ID, time.Time{}))
		}
	}
}

// addPosts adds posts and drafts in all states.
func (s *scene) addPosts(owner, ben *webtest.Visitor) {
	w := s.script.write
	s.Must(ignore(s.config.Posts.Like(s.T.Context(), domain.NewLike(ben.User, s.params["id"], time.Now()))))
	ben.Post("/posts/" + s.params["id"] + "/bookmark").Want(http.StatusSeeOther)
	owner.Post("/posts/" + s.params["id"] + "/bookmark").Want(http.StatusSeeOther)
	hushed := owner.CreatePost(w("Unlisted"), w("A text."))
	s.ChangePost(hushed.ID, func(p *domain.Post) { p.Status = domain.Unlisted })
	taken := owner.CreatePost(w("Taken back"), w("A text."))
	owner.Post("/posts/" + taken.ID + "/unpublish").Want(http.StatusSeeOther)
	s.Hold(owner.CreatePost(w("In review"), w("A text.")).ID, "", domain.HeldForReview)
	long := ben.CreatePost(w("Long"), "## "+w("One")+"\n\n"+strings.Repeat(w("words and words and "), 300)+
		"\n\n## "+w("Two")+"\n\n"+w("The end.")+"[^1]\n\n- [x] "+w("Done")+"\n\n[^1]: "+w("A note."))
	for range 25 {
		ben.CreatePost(w("Title"), w("Text"))
	}
	ben.CreateComments(long, webtestGreek(60)...)
	for range 3 {
		owner.CreateDraft(w("Draft"), w("Text"), "")
	}
	later := owner.CreateDraft(w("Later"), w("Text"), "")
	owner.Post("/posts", webtest.FormFields(owner.Get("/posts/"+later.PostID+"/edit"), "do", "schedule", "date",
		time.Now().AddDate(0, 0, 7).Format("2006-01-02"), "time", "10:00")...)
}

// webtestGreek returns texts of comments.
func webtestGreek(n int) []string {
	texts := webtest.CommentTexts(n)
	for i, text := range texts {
		texts[i] = greek.write(text)
	}
	return texts
}

// addComments adds comments in all states and what they notify of.
func (s *scene) addComments(owner, ben, reader *webtest.Visitor) {
	w := s.script.write
	post := s.Data.Post(s.params["id"])
	comments := ben.CreateComments(post, w("A comment."), w("Deleted."), w("Hidden by the author."), w("In review."),
		w("Hidden by a moderator."))
	reader.Reply(comments[0], w("A reply."))
	reader.Reply(comments[1], w("A reply to a deleted comment."))
	ben.Post(webtest.DeletePath(comments[1])).Want(http.StatusSeeOther)
	owner.Post(webtest.CommentPath(comments[2], "/hide")).Want(http.StatusSeeOther)
	s.Hold(post.ID, comments[3].ID, domain.HeldForReview)
	s.Hold(post.ID, comments[4].ID, domain.HeldByModerator)
	edit := webtest.CommentPath(comments[0], "/edit")
	ben.Post(edit, "content", w("An edited comment."), "began", "").Want(http.StatusSeeOther)
}

// addModerated adds reported and hidden texts, and the entries of the audit log about them.
func (s *scene) addModerated(owner, ben, moderator *webtest.Visitor) {
	w := s.script.write
	spam := owner.CreatePost(w("Spam"), w("Buy this."))
	for _, reason := range []string{"spam", "other"} {
		reporter := s.joins("reporter" + reason)
		reporter.Post("/posts/"+spam.ID+"/report", "reason", reason, "text", w("Spam")).Want(http.StatusSeeOther)
	}
	ben.Post(s.address("POST /posts/:id/comments/:comment/report"), "reason", "spam").Want(http.StatusSeeOther)
	hidden := owner.CreatePost(w("Hidden"), w("A text."))
	moderator.Post("/posts/"+hidden.ID+"/moderate", "do", "hide", "why", "spam", "version", "0").
		Want(http.StatusSeeOther)
	for _, action := range []domain.AuditAction{domain.AuditRole, domain.AuditSuspend, domain.AuditRestore,
		domain.AuditSettings, domain.AuditInvite, domain.AuditRevoke, domain.AuditFirst, domain.AuditPassword,
		domain.AuditFactors, domain.AuditHidePost, domain.AuditShowPost, domain.AuditApprovePost,
		domain.AuditHideComment, domain.AuditShowComment, domain.AuditApproveComment, domain.AuditDismissReports,
		domain.AuditResolveReports} {
		entry := domain.NewAuditEntry(moderator.User, action, time.Now()).About(owner.User)
		switch about := string(action); {
		case strings.HasSuffix(about, "-post"), strings.HasSuffix(about, "-reports"):
			entry.TargetKind, entry.TargetID, entry.TargetName = domain.AuditsPost, spam.ID, spam.Title
		case strings.HasSuffix(about, "-comment"):
			entry.TargetKind = domain.AuditsComment
			entry.TargetID, entry.TargetPost = s.params["comment"], s.params["id"]
		}
		entry.Reason = w("Spam")
		s.Must(s.Data.Store.Audit.Record(s.T.Context(), entry))
	}
	command := domain.NewAuditEntry(domain.User{}, domain.AuditPassword, time.Now())
	s.Must(s.Data.Store.Audit.Record(s.T.Context(), command))
}

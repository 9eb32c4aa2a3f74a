package writing_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestADemotedAuthorReadsTheirDrafts(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	d := ada.CreateDraft("Unfinished", "Some *text*.", "")
	path := "/drafts/" + d.PostID
	ada.Get(path).WantRedirect(303, "/posts/"+d.PostID+"/edit")
	s.SetRole(ada, domain.RoleReader)
	ada.Get("/settings").Want(200).Has(`main a[href="/drafts"]`, "drafts")
	ada.Get("/@ada").Want(200).HasNo(`.own-links a[href="/drafts"]`)
	hidden := ada.CreatePost("Published before", "Some text.")
	s.Hold(hidden.ID, "", domain.HeldByModerator)
	ada.Get("/@ada").Want(200).Has(`.own-links a[href="/drafts"]`, "Drafts").
		Has(".drafts", "Published before").HasNo(`main a[href$="/edit"]`)
	ada.Get(hidden.Path()).Want(200).Has(`main a[href$="/delete"]`, "Delete").HasNo(`main a[href$="/edit"]`)
	ada.Get(path+"/delete").Want(200).Has(`.actions a[href="`+path+`"]`, "Keep").HasNo(`a[href$="/edit"]`)
	ada.Get("/drafts").Want(200).Has(`.drafts a[href="`+path+`"]`, "Unfinished").
		Has(`[role="note"] a[href="/settings/export"]`, "download").HasNo(`a[href$="/edit"]`)
	ada.Get(path).Want(200).Has("h1", "Unfinished").Has(".prose em", "text").
		Has(`[role="note"] a[href="/settings/export"]`, "download")
	ada.Get("/settings/export").Want(200)
	for _, missing := range []string{"/drafts/x", "/drafts/" + domain.NewID()} {
		ada.Get(missing).Want(404)
	}
	ben.Get(path).Want(404)
	s.SetRole(ben, domain.RoleReader)
	ben.Get("/drafts").Want(200).Has("main", "No drafts.").HasNo(`[role="note"]`)
}

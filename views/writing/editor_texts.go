package writing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"inkfeed/domain/locale"
	"inkfeed/static"
)

// TextsPath is the address of the folder of the files that TextsScript names.
const TextsPath = static.Prefix + "texts/"

// TextsScript returns a script with the texts of the editor's script in the language of the context, and the name of
// its file, which begins with the language and changes with the texts. A text with different plural forms is an object
// of its forms by CLDR's categories. The editor's script chooses forms by Intl.PluralRules and fills in the slots: see
// static/editor/01-texts.js.
func TextsScript(ctx context.Context) (file string, script []byte) {
	translated := make(map[string]any)
	for name, text := range editorTexts() {
		forms := text.Forms(ctx)
		translated[name] = forms["other"]
		for _, form := range forms {
			if form != forms["other"] {
				translated[name] = forms
			}
		}
	}
	encoded, err := json.Marshal(translated)
	if err != nil {
		panic(err) // texts can be encoded
	}
	script = append([]byte("globalThis.editorTexts = "), encoded...)
	sum := sha256.Sum256(script)
	return locale.From(ctx).Code() + "." + hex.EncodeToString(sum[:6]) + ".js", script
}

// textsURL returns the address of the script with the texts in the language of the context.
func textsURL(ctx context.Context) string {
	file, _ := TextsScript(ctx)
	return TextsPath + file
}

// editorTexts returns the texts of the editor's script by the names that it knows them by.
func editorTexts() map[string]locale.Message {
	return map[string]locale.Message{
		"savedAt":         locale.M("Saved {when}|time ago"),
		"now":             locale.M("just now"),
		"saving":          locale.M("Saving…"),
		"saved":           locale.M("Saved.|draft"),
		"changed":         locale.M("Unsaved changes"),
		"unsaved":         locale.M("Not saved: can't reach the server."),
		"unsavedSession":  locale.M("Not saved: your session has expired."),
		"unsavedConflict": locale.M("Not saved: this draft was changed in another tab or on another device."),
		"unsavedBecause":  locale.M("Not saved: {reason}"),
		"unsavedWrong":    locale.M("Not saved: something went wrong."),
		"kept":            locale.M("We kept a copy in this browser."),
		"copy":            locale.M("Copy your text to a safe place."),
		"login":           locale.M("Log in"),
		"compare":         locale.M("Compare versions"),
		"begin":           locale.M("Continue as a new draft"),

		"previewOffline": locale.M("The preview isn't up to date: can't reach the server."),
		"previewSession": locale.M("The preview isn't up to date: your session has expired."),
		"previewLong":    locale.M("The preview isn't up to date: the text is too long."),
		"previewAgain":   locale.M("The preview isn't up to date: trying again…"),
		"words":          locale.M(words),
		"characters":     locale.M(characters),
		"both":           locale.M(wordsAndCharacters),
		"reading":        locale.M(lengthAndMinutes),

		"publishes":      locale.M("Publishes now {audience}, {tags}."),
		"updates":        locale.M("Updates the post now {audience}, {tags}."),
		"publishesAt":    locale.M("Publishes {audience} on {date}, {tags}."),
		"publishesLater": locale.M("Publishes {audience} when you choose a date and a time, {tags}."),
		"public":         locale.M("for everyone|to whom a post is shown"),
		"unlisted":       locale.M("for people with the link|to whom a post is shown"),
		"language":       locale.M("Language: {language}."),
		"tagged":         locale.M("with {n} tags"),
		"untagged":       locale.M("without tags"),
		"waiting":        locale.M("Waiting for {n} pictures…"),
		"unadded":        locale.M("A picture couldn't be added. Close this and try again below your text."),
		"offline":        locale.M("Can't reach the server. Your text is safe."),
		"offlineAgain":   locale.M("Can't reach the server. Your text is safe. Trying again…"),

		"picture":      locale.M("Picture {number}"),
		"otherPicture": locale.M("Another picture"),
		"cover":        locale.M("The cover"),
		"coverAdded":   locale.M("The picture is the cover now."),

		"uploading":     locale.M("Uploading {name}…"),
		"uploadingOne":  locale.M("Uploading {name}."),
		"uploadingMany": locale.M("Uploading {n} pictures."),
		"added":         locale.M("Picture added."),
		"addedRest":     locale.M("Picture added. Still uploading {n}."),

		"picturesLost": locale.M("Some pictures couldn't be pasted. Save them as files, then add them here."),

		"uploadOffline": locale.M("Couldn't add {name}: can't reach the server."),
		"uploadSession": locale.M("Couldn't add {name}: your session has expired. " +
			"Log in in another tab, then add the picture again."),
		"uploadBecause": locale.M("Couldn't add {name}: {reason}"),
		"uploadRefused": locale.M("Couldn't add {name}: the server did not accept it."),
		"uploadLeft": locale.M("Couldn't add {name}: you left the page before it was uploaded. " +
			"Add the picture again."),
		"uploadLarge": locale.M("Couldn't add {name}: it is too large."),
		"uploadWrong": locale.M("Couldn't add {name}: something went wrong."),
		"uploadType": locale.M("Couldn't add {name}: that file type isn't supported. " +
			"Choose a JPEG, PNG, GIF, WebP or SVG."),
		"uploadTooLarge": locale.M("Couldn't add {name}: {reason}",
			"reason", locale.M("The picture is larger than 10 MB. Make it smaller first.")),
	}
}

// The texts about the length of a post, which the server and the script show.
const (
	words              = "{n} words"
	characters         = "{n} characters"
	wordsAndCharacters = "{words} and {characters}"
	lengthAndMinutes   = "{length}, {n} min read"
)

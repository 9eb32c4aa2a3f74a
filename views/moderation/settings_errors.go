package moderation

import (
	"maps"
	"strconv"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
)

// settingLabels are the labels of the fields of the site's settings.
var settingLabels = map[string]locale.Message{
	"name": locale.M("Name of the site"), "tagline": locale.M("Tagline"), "description": locale.M("Description"),
	"accent": locale.M("Accent colour"), "css": locale.M("Custom CSS"), "footer": locale.M("Footer text"),
	"logo": locale.M("Logo"),
	"icon": locale.M("Icon"), "logoDark": locale.M("Logo for dark colours"),
	"front": locale.M("Blog on the front page"), "frontPage": locale.M("Page as front page"),
	"language": locale.M("Default language"), "timeZone": locale.M("Time zone"), "contact": locale.M("Contact address"),
	"postalAddress": locale.M("Postal address"),
	"registration":  locale.M("Who can sign up"), "role": locale.M("Role"),
	"links":    locale.M("Links in the header and the footer"),
	"featured": locale.M("Featured posts"),
	"invited":  locale.M("Invited accounts"),
	"embeds":   locale.M("Cards of other sites"),
	"days":     locale.M("New-account period (days)"),
}

// settingLabel returns the label of a setting with this name. A setting that does not exist any more has its name.
func settingLabel(name string) locale.Message {
	if label, ok := settingLabels[name]; ok {
		return label
	}
	for f := range siteinfo.LookFields() {
		if f.Name == name {
			return f.Label
		}
	}
	return locale.Verbatim(name)
}

// settingsFieldLabel returns the label of a field of the site's settings. A setting may have several fields.
func settingsFieldLabel(field string) locale.Message {
	if number, ok := strings.CutPrefix(field, "featured"); ok {
		n, _ := strconv.Atoi(number)
		return locale.M("Address of featured post {number}", "number", n)
	}
	if number, ok := strings.CutPrefix(field, "link"); ok {
		number, isAddress := strings.CutSuffix(number, "-address")
		n, _ := strconv.Atoi(number)
		if isAddress {
			return locale.M("Address of link {number}", "number", n)
		}
		return locale.M("Label of link {number}", "number", n)
	}
	return settingLabel(field)
}

// namedErrors returns the errors of the settings for a list far from the fields: each begins with the field's label.
func namedErrors(errs views.FormErrors) views.FormErrors {
	errs.Fields = maps.Clone(errs.Fields)
	for field, problem := range errs.Fields {
		errs.Fields[field] = locale.M("{field}: {problem}", "field", settingsFieldLabel(field), "problem", problem)
	}
	return errs
}

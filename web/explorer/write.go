package explorer

import (
	"errors"
	"net/http"

	"inkfeed/domain/locale"
	view "inkfeed/views/explorer"
)

// fieldErrors are errors by the name of the field.
type fieldErrors = map[string]locale.Message

// readForm reads a form that changes an item. Each requires a confirmation.
func (v *visit) readForm() view.ItemForm {
	form := view.ItemForm{ID: v.r.FormValue("id"), Key: v.r.FormValue("key"), ETag: v.r.PostFormValue("etag"),
		Text: v.r.PostFormValue("text"), Confirmed: v.r.PostFormValue("confirm") != ""}
	form.Errors.Fields = fieldErrors{}
	if !form.Confirmed {
		form.Errors.Fields["confirm"] = locale.Verbatim("Confirm that you want to change the data.")
	}
	return form
}

// checkText checks the text of an item and returns its partition key.
func (v *visit) checkText(form *view.ItemForm) (key string, err error) {
	c, _, err := v.client.container(v.ctx(), v.at)
	if err != nil {
		return "", err
	}
	document, err := decode([]byte(form.Text))
	if err != nil {
		form.Errors.Fields["text"] = locale.Verbatim("The item is not JSON: " + err.Error() + ".")
	} else if _, ok := document.(map[string]any); !ok {
		form.Errors.Fields["text"] = locale.Verbatim("The item is not a JSON object.")
	}
	return c.PartitionKey.of([]byte(form.Text)), nil
}

// submit sends the form's request and leads to next, or shows the form again with the engine's error.
func (v *visit) submit(form *view.ItemForm, next string, again func(view.ItemForm) error, send func() error) error {
	status := http.StatusUnprocessableEntity
	if len(form.Errors.Fields) == 0 {
		err := send()
		if err == nil {
			http.Redirect(v.w, v.r, next, http.StatusSeeOther)
			return nil
		}
		refused, ok := errors.AsType[*refusal](err)
		if !ok {
			return err
		}
		status, form.Errors.Summary = refused.status, locale.Verbatim(refused.Message)
		if status == http.StatusPreconditionFailed {
			form.Outdated = true
			form.Errors.Summary = locale.Verbatim("The item has changed since this page was loaded. Nothing was " +
				"stored.")
		}
	}
	form.Status = status
	return again(*form)
}

func (v *visit) showNew() error {
	c, _, err := v.client.container(v.ctx(), v.at)
	if err != nil {
		return err
	}
	return v.newForm(view.ItemForm{Text: c.PartitionKey.template()})
}

func (v *visit) newForm(form view.ItemForm) error {
	return v.show(max(form.Status, http.StatusOK), view.NewItem(v.page("New item in "+v.at.name), form))
}

func (v *visit) create() error {
	form := v.readForm()
	key, err := v.checkText(&form)
	if err != nil {
		return err
	}
	item := itemOf(keyDefinition{}, []byte(form.Text))
	next := v.container().ItemPath(view.Item{ID: item.ID, Key: key}) + "&saved=1"
	return v.submit(&form, next, v.newForm, func() error {
		_, err := v.client.send(v.ctx(), http.MethodPost, v.at.path("docs"), []byte(form.Text), keyHeader, key)
		return err
	})
}

func (v *visit) container() view.Container {
	return view.Container{Database: v.at.database, Name: v.at.name}
}

func (v *visit) showEdit() error {
	item, err := v.item()
	if err != nil {
		return err
	}
	return v.editForm(view.ItemForm{ID: item.ID, Key: v.r.FormValue("key"), ETag: item.ETag, Text: item.Text})
}

func (v *visit) editForm(form view.ItemForm) error {
	return v.show(max(form.Status, http.StatusOK), view.EditItem(v.page("Edit item "+form.ID), form))
}

// replace replaces an item unless it has changed since the form was made.
func (v *visit) replace() error {
	form := v.readForm()
	if _, err := v.checkText(&form); err != nil {
		return err
	}
	next := v.container().ItemPath(view.Item{ID: form.ID, Key: form.Key}) + "&saved=1"
	return v.submit(&form, next, v.editForm, func() error {
		_, err := v.client.send(v.ctx(), http.MethodPut, v.at.path("docs", form.ID), []byte(form.Text),
			keyHeader, form.Key, "If-Match", form.ETag)
		return err
	})
}

func (v *visit) showDelete() error {
	item, err := v.item()
	if err != nil {
		return err
	}
	return v.deleteForm(view.ItemForm{ID: item.ID, Key: v.r.FormValue("key"), ETag: item.ETag, Text: item.Text})
}

func (v *visit) deleteForm(form view.ItemForm) error {
	return v.show(max(form.Status, http.StatusOK), view.DeleteItem(v.page("Delete item "+form.ID), form))
}

// delete deletes an item unless it has changed since the form was made.
func (v *visit) delete() error {
	form := v.readForm()
	return v.submit(&form, v.container().Path("docs"), v.deleteForm, func() error {
		_, err := v.client.send(v.ctx(), http.MethodDelete, v.at.path("docs", form.ID), nil,
			keyHeader, form.Key, "If-Match", form.ETag)
		return err
	})
}

// A folder that is dropped is sent file by file, under its own name; the app makes a zip of it.
const form = document.querySelector("[data-folder]");

async function within(entry, path, found) {
  if (entry.isFile) {
    found.push([path + entry.name, await new Promise((done, fail) => entry.file(done, fail))]);
  } else {
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, fail) => reader.readEntries(done, fail));
      if (!some.length) break;
      for (const each of some) await within(each, `${path}${entry.name}/`, found);
      if (found.length > 64) return;
    }
  }
}
form?.addEventListener("dragover", (event) => event.preventDefault());
form?.addEventListener("drop", async (event) => {
  const entry = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).find((each) => each?.isDirectory);
  if (!entry) return;
  event.preventDefault();
  event.stopPropagation();
  const found = [];
  await within(entry, "", found);
  const body = new FormData();
  for (const [name, file] of found) body.append("files", file, name);
  const answer = await fetch(form.action, { method: "POST", body });
  if (answer.redirected) location.assign(answer.url);
  else document.body.innerHTML = new DOMParser().parseFromString(await answer.text(), "text/html").body.innerHTML;
});

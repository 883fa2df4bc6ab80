/** An upload straight from a page: an example to copy, with upload.html. Token and address come from the server that holds the key. */
const { token = "", url = "/1.0/upload" } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const [file, sent, said, result] =
  /** @type {[HTMLInputElement, HTMLProgressElement, HTMLElement, HTMLImageElement]} */ (
    ["file", "sent", "said", "result"].map((id) => document.getElementById(id))
  );

file.addEventListener("change", () => {
  const [picture] = file.files ?? [];
  if (!picture) return;
  const body = new FormData();
  body.append("file", picture);
  const request = new XMLHttpRequest(); // fetch does not say how much was sent
  request.open("POST", url);
  request.setRequestHeader("Authorization", `Bearer ${token}`);
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded, total }) => (sent.value = loaded / total));
  request.addEventListener("error", () => (said.textContent = "The service could not be reached."));
  request.addEventListener("load", () => {
    const { success, message, output } = request.response ?? {};
    said.textContent = success ? `${output.width} × ${output.height}, ${output.bytes} bytes` : (message ?? "Failed.");
    result.hidden = !success;
    if (success) result.src = output.url;
  });
  request.send(body);
});

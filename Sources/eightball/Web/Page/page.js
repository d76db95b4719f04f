// The page of the 8-ball app. The program sends the complete content each time; the page keeps only the user's input
// and the die, which is decoration.

const root = document.documentElement
const language = root.lang
const element = (id) => document.getElementById(id)
const stillness = matchMedia("(prefers-reduced-motion: reduce)")

// MARK: The program

// A stream that has been silent for this long, in milliseconds, is reopened: the program sends a beat every 5 s.
const silenceLimit = 15000
let stream = null
let lastHeard = 0
let version = "0"
let retry = 0

function connect() {
  clearTimeout(retry)
  stream?.close()
  stream = null
  // A browser has few connections per program, so a hidden page leaves its own to others.
  if (document.hidden) return
  lastHeard = Date.now()
  version = "0"
  stream = new EventSource(`events/${language}`)
  stream.addEventListener("state", (event) => {
    heard()
    version = event.lastEventId
    show(JSON.parse(event.data))
  })
  stream.addEventListener("beat", (event) => {
    heard()
    // A browser may drop events while the page sleeps.
    if (event.data !== version) connect()
  })
  stream.addEventListener("error", () => {
    stream?.close()
    stream = null
    setGone(true)
    clearTimeout(retry)
    retry = setTimeout(connect, 1000)
  })
}

function heard() {
  lastHeard = Date.now()
  setGone(false)
}

function setGone(isGone) {
  if (element("gone").hidden === !isGone) return
  const [, token] = location.pathname.split("/")
  element("command").textContent = `eightball web --port ${location.port || 80} --token ${token}`
  element("gone").hidden = !isGone
  document.body.classList.toggle("is-gone", isGone)
}

function wake() {
  if (document.hidden || !stream || Date.now() - lastHeard > silenceLimit) connect()
}

document.addEventListener("visibilitychange", wake)
document.addEventListener("resume", connect)
addEventListener("pageshow", wake)
addEventListener("online", connect)
setInterval(() => { if (!document.hidden && stream) wake() }, 5000)

/** Sends a command to the program; returns why it was not executed, if the user can do something about it. */
async function send(command) {
  try {
    const response = await fetch(`do/${language}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(command),
    })
    return response.ok ? await response.json() : { hint: null }
  } catch {
    setGone(true)
    return null
  }
}

// MARK: What is shown

let state = null

function show(next) {
  const previous = state
  state = next
  const role = state.role ?? "none"
  const isNew = document.body.dataset.role !== role
  document.body.dataset.role = role
  setText("status", state.status)
  if (role === "central") showCentral(previous?.central)
  if (role === "peripheral") showPeripheral(previous?.peripheral)
  if (role === "none") setFace("eight", "")
  showPairing(state.pairing)
  // The role was chosen or left: moves the focus to the new content.
  const first = { central: "#question", peripheral: "#by-hand", none: "[data-choice]" }[role]
  if (isNew && previous) document.querySelector(first).focus()
}

/** Sets a text if it differs: screen readers announce every text that is set. */
function setText(id, text) {
  const target = typeof id === "string" ? element(id) : id
  if (target.textContent !== (text ?? "")) target.textContent = text ?? ""
}

function announce(text) { element("news").textContent = text }

/** Updates the children of a list by the keys of the items, and keeps those that do not move. */
function arrange(list, items, key, make, fill) {
  const old = new Map([...list.children].map((child) => [child.dataset.key, child]))
  let place = list.firstElementChild
  for (const item of items) {
    const name = String(item[key])
    const child = old.get(name) ?? make(item, name)
    child.dataset.key = name
    old.delete(name)
    fill(child, item)
    if (child === place) place = place.nextElementSibling
    else list.insertBefore(child, place)
  }
  for (const child of old.values()) child.remove()
}

function make(tag, className, ...children) {
  const result = document.createElement(tag)
  result.className = className
  result.append(...children)
  return result
}

// MARK: Central

function showCentral(previous) {
  const { balls, chosen } = state.central
  setText("notice", state.notice)
  const hadFocus = element("list").contains(document.activeElement)
  arrange(element("list"), balls, "id", makeBall, fillBall)
  if (hadFocus && !element("list").contains(document.activeElement)) {
    (element("list").querySelector(":checked") ?? element("question")).focus()
  }
  const ball = balls.find((each) => each.id === chosen)
  setText("name", ball?.name)
  setText("asked", ball?.question)
  setText("words", ball?.words)
  element("words").dataset.stage = ball?.stage ?? "none"
  const faces = { asking: "turning", confirmed: "turning", answered: "answer", failed: "failed" }
  setFace(faces[ball?.stage] ?? "eight", ball?.words ?? "")
  const stages = new Map(previous?.balls.map((each) => [each.id, each.stage]))
  for (const each of balls) {
    if (each.words && stages.get(each.id) !== each.stage) announce(`${each.name}: ${each.words}`)
  }
}

function makeBall(ball, key) {
  const input = document.createElement("input")
  input.type = "radio"
  input.name = "ball"
  input.value = key
  input.addEventListener("change", () => send({ do: "choose", ball: key }))
  const bars = make("span", "bars", ...[1, 2, 3, 4].map(() => document.createElement("i")))
  bars.ariaHidden = "true"
  return make("label", "item", input, make("span", "name"), bars, make("span", "strength"), make("span", "unseen"),
    make("span", "words"))
}

function fillBall(item, ball) {
  const [input, name, bars, strength, signal, words] = item.children
  input.checked = ball.id === state.central.chosen
  item.classList.toggle("is-gone", ball.gone !== null)
  setText(name, ball.name)
  bars.dataset.bars = ball.gone ? 0 : ball.bars ?? 0
  setText(strength, ball.gone ? "" : ball.strength ?? "?")
  setText(signal, ball.gone ? "" : ball.signal)
  setText(words, ball.gone ?? ball.words)
  words.dataset.stage = ball.gone ? "failed" : ball.stage
}

const questions = []
let place = 0

element("ask").addEventListener("submit", async (event) => {
  event.preventDefault()
  const question = element("question").value.trim()
  if (!question) return element("question").focus()
  const result = await send({ do: "ask", ball: state?.central?.chosen ?? "", question })
  if (!result) return
  setHint(result.hint)
  if (result.hint) return element("question").focus()
  questions.push(question)
  place = questions.length
  element("question").value = ""
})

element("question").addEventListener("input", () => setHint(null))

function setHint(hint) {
  setText("hint", hint)
  if (hint) element("question").setAttribute("aria-invalid", "true")
  else element("question").removeAttribute("aria-invalid")
}

// The arrow keys recall earlier questions.
element("question").addEventListener("keydown", (event) => {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
  if (!step || event.isComposing || !questions[place + step] && place + step !== questions.length) return
  event.preventDefault()
  place += step
  event.target.value = questions[place] ?? ""
})

// MARK: Peripheral

function showPeripheral(previous) {
  const { entries, open, isByHand } = state.peripheral
  setText("being-name", state.peripheral.state)
  element("by-hand").checked = isByHand
  setText("waiting", state.notice)
  arrange(element("entries"), entries.toReversed(), "number", () => {
    return make("li", "", make("p", "who"), make("p", "question"), make("p", "words"))
  }, (item, entry) => {
    const [who, question, words] = item.children
    setText(who, entry.who)
    setText(question, entry.question)
    setText(words, entry.words)
    words.dataset.stage = entry.stage
  })
  const asked = entries.find((entry) => entry.number === open)
  const hadFocus = element("open").contains(document.activeElement)
  element("open").hidden = !asked
  if (hadFocus && !asked) element("by-hand").focus()
  if (asked) {
    setText("open-who", asked.who)
    setText("open-question", asked.question)
  }
  const last = entries.at(-1)
  setFace(asked ? "turning" : last?.stage === "answered" ? "answer" : "eight", last?.words ?? "")
  if (!previous) return
  const stages = new Map(previous.entries.map((entry) => [entry.number, entry.stage]))
  for (const entry of entries) {
    if (stages.get(entry.number) === entry.stage) continue
    const words = entry.stage === "open" ? "" : ` ${entry.words}`
    announce(stages.has(entry.number) ? words : `${entry.who}: ${entry.question}${words}`)
  }
}

element("by-hand").addEventListener("change", (event) => send({ do: "byHand", isOn: event.target.checked }))

element("answers").addEventListener("click", (event) => {
  const answer = event.target.closest("[data-answer]")?.dataset.answer
  if (answer === undefined) return
  send({ do: "answer", entry: state.peripheral.open ?? -1, ...(answer && { answer: Number(answer) }) })
})

element("answers").addEventListener("keydown", (event) => {
  const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key]
  if (!step) return
  event.preventDefault()
  const buttons = [...event.currentTarget.children]
  buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length].focus()
})

for (const button of document.querySelectorAll("[data-choice]")) {
  button.addEventListener("click", () => send({ do: "role", role: button.dataset.choice }))
}

element("leave").addEventListener("click", () => send({ do: "leave" }))

// MARK: Pairing

const dialog = element("pairing")

function showPairing(pairing) {
  if (!pairing) {
    if (dialog.open) dialog.close()
    return
  }
  const isNew = dialog.dataset.number !== String(pairing.number) || !dialog.open
  dialog.dataset.number = pairing.number
  dialog.dataset.kind = pairing.kind
  setText("pairing-text", pairing.text)
  setText("pairing-code", pairing.code?.replace(/(?=...$)/, " "))
  if (!isNew) return
  element("code").value = ""
  if (!dialog.open) dialog.showModal()
}

function answerPairing(isAgreed) {
  const { number, kind } = dialog.dataset
  if (kind === "show") return
  const code = kind === "enter" && isAgreed ? { code: element("code").value } : {}
  send({ do: "pair", number: Number(number), isAgreed, ...code })
}

element("pairing-form").addEventListener("submit", (event) => {
  event.preventDefault()
  if (dialog.dataset.kind !== "enter" || element("code").value) answerPairing(true)
})
element("code").addEventListener("input", (event) => {
  event.target.value = event.target.value.replace(/\D/g, "")
})
for (const button of dialog.querySelectorAll("[data-refuse]")) button.addEventListener("click", () => answerPairing(false))
dialog.addEventListener("cancel", (event) => {
  event.preventDefault()
  answerPairing(false)
})

// MARK: The die

// An icosahedron, as in a real ball. It turns small and deep inside; then one face comes to the window with the answer.
const golden = (1 + Math.sqrt(5)) / 2
const corners = [-1, 1].flatMap((a) => [-golden, golden].flatMap((b) => [[0, a, b], [a, b, 0], [b, 0, a]]))
  .map((corner) => scaled(corner, 1 / Math.hypot(...corner)))
const faces = []
for (let i = 0; i < 12; i++) for (let j = i + 1; j < 12; j++) for (let k = j + 1; k < 12; k++) {
  const [a, b, c] = [corners[i], corners[j], corners[k]]
  if ([[a, b], [b, c], [a, c]].every(([p, q]) => dot(p, q) > 0.4)) faces.push([a, b, c])
}

function dot(a, b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] }
function scaled(a, factor) { return a.map((value) => value * factor) }
function unit(a) { return scaled(a, 1 / Math.hypot(...a)) }
function cross(a, b) { return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]] }
function product(m, v) { return m.map((row) => dot(row, v)) }
function middle(face) { return scaled(face[0].map((_, i) => face[0][i] + face[1][i] + face[2][i]), 1 / 3) }
function transposed(m) { return m[0].map((_, i) => m.map((row) => row[i])) }
function combined(m, n) { return transposed(transposed(n).map((column) => product(m, column))) }

/** The rotation by an angle about an axis (Rodrigues). */
function rotation(axis, angle) {
  const [x, y, z] = axis
  const [s, c] = [Math.sin(angle), Math.cos(angle)]
  const t = 1 - c
  return [
    [t * x * x + c, t * x * y - s * z, t * x * z + s * y],
    [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
    [t * x * z - s * y, t * y * z + s * x, t * z * z + c],
  ]
}

/** The orientation in which the first face looks out of the window, one corner up. */
const outward = (() => {
  const normal = unit(middle(faces[0]))
  const up = unit(faces[0][0].map((value, i) => value - middle(faces[0])[i]))
  return [cross(up, normal), up, normal]
})()

const polygons = faces.map(() => {
  const polygon = document.createElementNS("http://www.w3.org/2000/svg", "polygon")
  polygon.setAttribute("stroke", "#9db4ff")
  polygon.setAttribute("stroke-linejoin", "round")
  polygon.setAttribute("stroke-opacity", ".55")
  return polygon
})
element("die").append(...polygons)

const light = unit([-0.4, 0.6, 0.9])
const depth = 74
const near = 172
let orientation = outward
let size = depth
let face = ""
let words = ""
let frame = 0

function draw() {
  faces.forEach((corners, index) => {
    const turned = corners.map((corner) => product(orientation, corner))
    const normal = unit(middle(turned))
    polygons[index].setAttribute("visibility", normal[2] > 0 ? "visible" : "hidden")
    if (normal[2] <= 0) return
    const points = turned.map(([x, y]) => `${(200 + x * size).toFixed(1)},${(200 - y * size).toFixed(1)}`)
    // A face that looks aside is deeper in the liquid.
    const shade = (Math.max(0, dot(normal, light)) * 0.5 + 0.5) * normal[2] ** 2.4
    polygons[index].setAttribute("points", points.join(" "))
    polygons[index].setAttribute("fill", `rgb(${10 + 44 * shade | 0},${20 + 80 * shade | 0},${70 + 176 * shade | 0})`)
  })
}

/** Shows a face of the ball: the eight, the die as it turns, an answer, or a failure. */
function setFace(next, text) {
  if (next === face && text === words) return
  const wasTurning = face === "turning"
  const isOther = next !== face || next === "answer"
  face = next
  words = text
  element("ball").dataset.face = next
  if (next === "answer") writeAnswer(text)
  if (!isOther) return
  cancelAnimationFrame(frame)
  if (next === "turning" && !stillness.matches) turn()
  else if (next === "answer" && wasTurning && !stillness.matches) settle()
  else {
    [orientation, size] = [outward, next === "answer" ? near : depth]
    draw()
  }
}

function turn() {
  const start = performance.now()
  let last = start
  const step = (now) => {
    const time = (now - start) / 1000
    const axis = unit([Math.sin(time * 0.9 + 1), Math.cos(time * 0.7), Math.sin(time * 0.5) * 0.7 + 0.2])
    orientation = combined(rotation(axis, Math.min(now - last, 50) / 1000 * 3.4), orientation)
    size += (depth + Math.sin(time * 2.1) * 6 - size) * 0.12
    last = now
    draw()
    frame = requestAnimationFrame(step)
  }
  frame = requestAnimationFrame(step)
}

function settle() {
  const [from, firstSize, start] = [orientation, size, performance.now()]
  const rest = combined(outward, transposed(from))
  const angle = Math.acos(Math.max(-1, Math.min(1, (rest[0][0] + rest[1][1] + rest[2][2] - 1) / 2)))
  const axis = [rest[2][1] - rest[1][2], rest[0][2] - rest[2][0], rest[1][0] - rest[0][1]]
  const way = Math.hypot(...axis) > 1e-6 ? unit(axis) : [0, 0, 1]
  const step = (now) => {
    const time = Math.min(1, (now - start) / 1100)
    const eased = 1 - (1 - time) ** 3
    orientation = combined(rotation(way, angle * eased), from)
    size = firstSize + (near - firstSize) * eased
    draw()
    if (time < 1) frame = requestAnimationFrame(step)
    else orientation = outward
  }
  frame = requestAnimationFrame(step)
}

// MARK: The answer in the triangle

const ruler = document.createElement("canvas").getContext("2d")

/** Writes an answer into the face as large as it fits: each line is as wide as the triangle at its height. */
function writeAnswer(text) {
  const radius = near * 0.6071
  const [top, bottom] = [200 - radius, 200 + radius / 2]
  const room = (y) => (y - top) * 2 / Math.sqrt(3) - 16
  for (let font = 34; font >= 9; font -= 1) {
    ruler.font = `700 ${font}px "Helvetica Neue", Arial, sans-serif`
    const height = font * 1.14
    for (let count = 1; count <= 6; count++) {
      const first = Math.min(bottom - 9 - count * height, 204 - count * height / 2 + 12)
      if (first < top) continue
      const lines = broken(text.split(" "), count, (index) => room(first + index * height + font * 0.14))
      if (lines) return writeLines(lines, font, height, first)
    }
  }
  writeLines([], 9, 10, 200)
}

/** The words in a number of lines, each within its width; null if they do not fit. */
function broken(words, count, width) {
  const lines = []
  let rest = [...words]
  for (let index = 0; index < count && rest.length; index++) {
    let length = 0
    while (length < rest.length && ruler.measureText(rest.slice(0, length + 1).join(" ")).width <= width(index)) length++
    if (!length) return null
    lines.push(rest.slice(0, length).join(" "))
    rest = rest.slice(length)
  }
  return rest.length || lines.length < count ? null : lines
}

function writeLines(lines, font, height, first) {
  const group = element("answer")
  group.setAttribute("font-size", font)
  group.replaceChildren(...lines.map((line, index) => {
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text")
    text.setAttribute("x", "200")
    text.setAttribute("y", (first + index * height + font * 0.86).toFixed(1))
    text.textContent = line
    return text
  }))
}

draw()
connect()

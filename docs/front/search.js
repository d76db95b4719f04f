// The search of the front page: pages that have every word of the query, also within a word; those whose title has them
// come first, and articles before symbols. search.json is made with the site.

const field = document.getElementById("query")
const list = document.getElementById("found")
const limit = 40
let pages

async function search() {
    const query = field.value
    pages ??= fetch("search.json").then((response) => response.json())
    const all = await pages
    if (query !== field.value) return
    const wanted = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
    const found = !wanted.length ? [] : all.map((page) => {
        const [, title, , rank, words] = page
        const heading = title.toLowerCase()
        if (!wanted.every((word) => heading.includes(word) || words.includes(word))) return null
        const inTitle = wanted.filter((word) => heading.includes(word)).length
        return { page, score: 2 * (wanted.length - inTitle) + rank }
    }).filter(Boolean).sort((a, b) => a.score - b.score)
    list.replaceChildren(...found.slice(0, limit).map(({ page: [path, title, summary] }) => {
        const link = Object.assign(document.createElement("a"), { href: path, textContent: title })
        const item = document.createElement("li")
        item.append(link, ` ${path.split("/")[1]}: ${summary}`)
        return item
    }))
    document.getElementById("count").textContent = wanted.length ? `${found.length} pages` : ""
}

field.addEventListener("input", search)

// A table in Markdown, as in Benchmarks/README.md.

struct Table {
    private var rows: [[String]] = []

    mutating func add(_ name: String, _ figure: String, _ rate: String = "", aim: String = "") {
        self.rows.append([name, figure, rate, aim])
    }

    func printAsMarkdown() {
        let header = ["what", "cost", "rate", "aim"]
        let widths = (0..<header.count).map { column in
            ([header] + self.rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            "| " + zip(cells, widths).map { $0.padding(to: $1) }.joined(separator: " | ") + " |"
        }
        print(line(header))
        print("|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|")
        for row in self.rows { print(line(row)) }
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - self.count))
    }
}

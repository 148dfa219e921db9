-- What Neovim is given for its picture: nvim-dap, jdbpy, and a few colors.
vim.opt.runtimepath:prepend(vim.env.NVIM_DAP)
vim.opt.number = true
vim.opt.laststatus = 3
vim.opt.swapfile = false
vim.opt.wrap = false
vim.opt.hlsearch = false
vim.opt.ruler = false
vim.opt.showmode = false
vim.opt.splitright = true
vim.opt.equalalways = false
vim.opt.fillchars = { eob = " ", vert = "│", horiz = "─" }
vim.opt.shortmess:append("IF")
vim.opt.termguicolors = true
for group, colors in pairs({
  Normal = { fg = "#c5c8c6", bg = "#292929" }, LineNr = { fg = "#707070" }, CursorLine = { bg = "#40404a" },
  Comment = { fg = "#8a8a8a" }, Type = { fg = "#98729f" }, Statement = { fg = "#98729f" }, Constant = { fg = "#608ab1" },
  Number = { fg = "#608ab1" }, String = { fg = "#98a84b" }, Identifier = { fg = "#c5c8c6" }, Special = { fg = "#608ab1" },
  SignColumn = { bg = "#292929" }, WinSeparator = { fg = "#606060" }, StatusLine = { fg = "#292929", bg = "#8a8a8a" },
  javaCommentTitle = { fg = "#8a8a8a" }, Error = { fg = "#cc555a" }, WinBar = { bold = true },
}) do
  vim.api.nvim_set_hl(0, group, colors)
end
local dap = require("dap")
vim.fn.sign_define("DapBreakpoint", { text = "●", texthl = "Error" })
vim.fn.sign_define("DapStopped", { text = "▶", texthl = "String", linehl = "CursorLine" })
dap.adapters.jdbpy = { type = "executable", command = vim.env.PYTHON, args = { "-m", "jdbpy", "dap" } }
dap.configurations.java = {
  { type = "jdbpy", request = "launch", name = "coffee", mainClass = "coffee.CoffeeBar",
    classPaths = { "jdbpy/demo/classes" }, sourcePaths = { "jdbpy/demo/java" } },
}
function _G.show()
  local widgets = require("dap.ui.widgets")
  local source = vim.api.nvim_get_current_win()
  vim.opt.signcolumn = "yes"
  widgets.sidebar(widgets.scopes, { number = false, signcolumn = "no" }, "rightbelow 52 vsplit").open()
  dap.repl.open({ height = 11, number = false, signcolumn = "no" }, "botright 11 split")
  vim.api.nvim_set_current_win(source)
  vim.cmd("normal! zz")
end

;;; gud.el --- drives gud-jdb in a batch Emacs  -*- lexical-binding: t -*-

;; Arguments: the command line for `jdb', the source file, and the line for a breakpoint.  Writes a line after each
;; step: what was done, and the file and line of the arrow.  A step that is not answered ends Emacs with an error.

(require 'gud)

(defvar gud-test-limit 30 "Seconds that a step may take.")

(defun gud-test-wait (what done)
  "Wait until DONE gives true; WHAT it is, for the error."
  (let ((end (+ (float-time) gud-test-limit)))
    (while (not (with-current-buffer gud-comint-buffer (funcall done)))
      (when (> (float-time) end)
        (error "In vain for %s after: %s" what (with-current-buffer gud-comint-buffer (buffer-string))))
      (accept-process-output (get-buffer-process gud-comint-buffer) 0.05))))

(defun gud-test-do (what action)
  "Do ACTION, wait for the prompt of a stop after it, and tell WHAT and where the arrow is."
  (let ((start (with-current-buffer gud-comint-buffer (goto-char (point-max)) (point))))
    (funcall action)
    (gud-test-wait what (lambda () (goto-char start) (re-search-forward "^main\\[[0-9]+\\] \\'" nil t)))
    (accept-process-output nil 0.2)
    (gud-display-frame)
    (princ (format "%s: %s\n" what
                   (if (marker-buffer gud-overlay-arrow-position)
                       (with-current-buffer (marker-buffer gud-overlay-arrow-position)
                         (format "%s:%d" (file-name-nondirectory buffer-file-name)
                                 (line-number-at-pos gud-overlay-arrow-position)))
                     "no arrow")))))

(let* ((command (pop command-line-args-left))
       (source (find-file-noselect (pop command-line-args-left)))
       (line (string-to-number (pop command-line-args-left))))
  (jdb command)
  (gud-test-wait "the first prompt" (lambda () (goto-char (point-min)) (re-search-forward "^> \\'" nil t)))
  (with-current-buffer source
    (goto-char (point-min))
    (forward-line (1- line))
    (gud-break nil))
  (gud-test-wait "the breakpoint" (lambda () (goto-char (point-min)) (re-search-forward "Deferring" nil t)))
  (gud-test-do "run" (lambda () (gud-call "run")))
  (gud-test-do "next" (lambda () (gud-next 1)))
  (gud-test-do "step" (lambda () (gud-step 1)))
  (gud-test-do "up" (lambda () (gud-up 1)))
  (gud-test-do "down" (lambda () (gud-down 1)))
  (gud-test-do "print" (lambda () (gud-call "print side")))
  (gud-test-wait "the value" (lambda () (goto-char (point-min)) (re-search-forward "side = 2.5" nil t)))
  (gud-test-do "finish" (lambda () (gud-finish 1)))
  (set-process-query-on-exit-flag (get-buffer-process gud-comint-buffer) nil)
  (gud-call "cont")
  (gud-test-wait "the end" (lambda () (goto-char (point-min)) (re-search-forward "The application exited" nil t)))
  (princ "done\n"))

;;; gud.el ends here
